import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { bundleSimulator } from "./bundle-simulator.mjs";
import { drawMutants, mutantsOf, withSwitches } from "./mutants.mjs";

/** Milliseconds without an answer after which a program that plays does not end. */
const patienceMs = 180_000;

/**
 * Draws defects and plays, of each, seeds that reach it until one fails.
 *
 * @param {{ perPackage: number, seed: number, total: number, most: number }} sizes - `total` seeds are looked through for those that reach a
 * defect, of which `most` are played
 * @param {Map<string, { share: number }>} scenarios
 * @param {(found: object) => void} hear - of each defect: package, file, line, kind, from, by (scenario and seed; null where none found it), played, why
 * @returns {Promise<object[]>} in the order of their places
 */
export async function scoreMutants({ perPackage, seed, total, most }, scenarios, hear) {
  const { inputs } = await bundleSimulator("simulator");
  const mutants = drawMutants(mutantsOf(inputs), perPackage, seed);
  const { program } = await bundleSimulator("mutants", withSwitches(mutants));
  const player = new Player(program);
  const reaching = await seedsThatReach(player, mutants.length, total, scenarios);
  const results = [];
  for (const [i, mutant] of mutants.entries()) {
    const { package: name, file, line, kind, topic, from } = mutant;
    const tries = interleaved(reaching[i]).slice(0, most);
    let [by, why, played] = [null, null, 0];
    for (const { scenario, number } of tries) {
      const { violation } = await player.play(i, scenario, number);
      played += 1;
      if (violation === null) continue;
      [by, why] = [`${scenario} ${number}`, violation];
      break;
    }
    results.push({ package: name, file, line, kind, topic, from, by, why, played });
    hear(results.at(-1));
  }
  player.end();
  return results;
}

/** Killed of all, by package, and what survived, as `docs/simulation.md` has it. */
export function scoresOf(results, { perPackage, seed, total, most, minutes }) {
  const row = (name, all) => {
    const found = all.filter(({ by }) => by !== null).length;
    const reached = all.filter(({ played }) => played > 0).length;
    return `| ${name} | ${all.length} | ${found} | ${reached - found} | ${all.length - reached} |`;
  };
  const names = [...new Set(results.map((each) => each.package))].toSorted((a, b) => (a < b ? -1 : 1));
  const missed = results.filter(({ by, played }) => by === null && played > 0);
  const lines = missed.map(({ file, line, kind, from }) => {
    const code = from.replaceAll("`", "'").replaceAll("{{", "{ {").slice(0, 80);
    return `- \`${file.replace("packages/", "").replace("/src/", "/")}:${line}\` ${kind}: \`${code}\``;
  });
  return `${perPackage} of each package, drawn by seed ${seed}; of ${total} seeds at most ${most} that reach each; ${minutes} minutes on two busy cores.

| Package | Defects | Found | Missed | Not reached |
| --- | ---: | ---: | ---: | ---: |
${names
  .map((name) =>
    row(
      name,
      results.filter((each) => each.package === name),
    ),
  )
  .join("\n")}
${row("all", results)}

Missed:

${lines.join("\n")}
`;
}

/** Of each defect the seeds in which a program comes to it, while it is not there. All have to hold. */
async function seedsThatReach(player, count, total, scenarios) {
  const reaching = Array.from({ length: count }, () => []);
  const shares = [...scenarios.values()].reduce((sum, { share }) => sum + share, 0);
  for (const [scenario, { share }] of scenarios)
    for (let number = 1; number <= Math.max(3, Math.round((total * share) / shares)); number++) {
      const { violation, reached } = await player.play(-1, scenario, number);
      if (violation !== null) throw new Error(`${scenario} --seed ${number} fails without a defect: ${violation}`);
      for (const id of reached) reaching[id].push({ scenario, number });
    }
  return reaching;
}

/** The first of each scenario, then the second of each. */
function interleaved(tries) {
  const seen = new Map();
  const ranked = tries.map((each) => {
    seen.set(each.scenario, (seen.get(each.scenario) ?? 0) + 1);
    return { ...each, rank: seen.get(each.scenario) };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank);
}

/** A process that plays seeds with a defect or none; another one follows where it ends or hangs. */
class Player {
  #program;
  #child = null;
  #lines;
  /** Scenarios that this process has played: what loads on demand is there. */
  #warm = new Set();
  constructor(program) {
    this.#program = program;
  }

  /** @returns {Promise<{ violation: string | null, reached: number[] }>} */
  async play(defect, scenario, seed) {
    if (!this.#child) this.#start();
    if (!this.#warm.has(scenario)) {
      this.#warm.add(scenario);
      await this.#ask(-1, scenario, seed);
    }
    return this.#ask(defect, scenario, seed);
  }

  end() {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #start() {
    this.#child = spawn(process.execPath, [this.#program, "defects"], { stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdin.on("error", () => undefined);
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#warm = new Set();
  }

  #ask(defect, scenario, seed) {
    const [child, lines] = [this.#child, this.#lines];
    return new Promise((resolve) => {
      const over = (violation) => {
        this.end();
        done({ violation, reached: [] });
      };
      const ends = () => over("the process that plays it ends");
      const timer = setTimeout(() => over("the process that plays it hangs"), patienceMs);
      const hear = (line) => {
        if (line.startsWith("{")) done(JSON.parse(line));
      };
      const done = (found) => {
        clearTimeout(timer);
        lines.off("line", hear);
        child.off("close", ends);
        resolve(found);
      };
      lines.on("line", hear);
      child.on("close", ends);
      child.stdin.write(`${defect} ${scenario} ${seed}\n`);
    });
  }
}
