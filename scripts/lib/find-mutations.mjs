import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundleSimulator } from "./bundle-simulator.mjs";
import { root } from "./root.mjs";

/** Seeds within which a defect has to be found. */
const maxSeeds = 1000;

/** @returns {object[]} name, scenario, file, and the text that is replaced by another */
export function knownMutations() {
  return JSON.parse(readFileSync(join(root, "test/simulate/mutations.json"), "utf8"));
}

/**
 * Puts the defects of `test/simulate/mutations.json` into the sources, one at a time, and plays seeds until one fails.
 *
 * @param {string[]} scenarios - those whose defects are tried
 * @param {string} named - part of the names of those that are tried
 * @param {number} jobs - defects at a time
 * @param {(found: object) => void} hear - of each: name, scenario, file, the seed that found it or null, what it said, seconds
 * @returns {Promise<object[]>} in the order of the file
 */
export async function findMutations(scenarios, named, jobs, hear) {
  const defects = knownMutations().filter(({ scenario, name }) => scenarios.includes(scenario) && name.includes(named));
  const found = [];
  const queue = defects.entries();
  const work = async () => {
    for (const [i, defect] of queue) {
      const start = performance.now();
      const program = await bundleSimulator(`mutation-${defect.scenario}-${i}`, defect);
      const { seed, violation } = await firstFailure(program, defect.scenario);
      const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
      const { name, scenario, file } = defect;
      found[i] = { name, scenario, file, seed, violation, seconds };
      hear(found[i]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return found;
}

async function firstFailure(program, scenario) {
  const words = ["--enable-source-maps", program, scenario, "1", String(maxSeeds), "", "first"];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "ignore"] });
  let last = { seed: 0, violation: null };
  const lines = createInterface({ input: child.stdout }).on("line", (line) => (last = JSON.parse(line)));
  const [[code]] = await Promise.all([once(child, "close"), once(lines, "close")]);
  if (code !== 0 && last.violation === null)
    return { seed: last.seed + 1, violation: "the process that plays it ends" };
  return last.violation === null ? { seed: null, violation: null } : last;
}
