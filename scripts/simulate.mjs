// npm run simulate [-- --scenario NAME] [--seed N] [--seeds COUNT]: runs parts of Laconic on a simulated machine. A seed
// determines its disk, clock, servers, order of events and faults. See `--help`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { bundleSimulator } from "./lib/bundle-simulator.mjs";
import { setUp } from "./lib/setup.mjs";

const { values } = parseArgs({
  options: {
    scenario: { type: "string" },
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    total: { type: "string", default: "" },
    events: { type: "string", default: "" },
    jobs: { type: "string", default: String(availableParallelism()) },
    replay: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const [seed, seeds, jobs] = ["seed", "seeds", "jobs"].map((name) => whole(name));
const total = values.total === "" ? null : whole("total");
if (values.events !== "") whole("events");
await setUp();
const program = await bundleSimulator();
const names = await titles();
if (values.help) {
  process.stdout.write(help(names));
  process.exit(0);
}
if (values.scenario !== undefined && !names.has(values.scenario))
  refuse(`--scenario ${values.scenario}: expected one of ${[...names.keys()].join(", ")}`);
const known = values.scenario === undefined ? [...names.keys()] : [values.scenario];
let failed = 0;
const shares = known.reduce((sum, name) => sum + names.get(name).share, 0);
for (const name of known)
  failed += await playAll(name, total === null ? seeds : Math.round((total * names.get(name).share) / shares));
process.exitCode = failed === 0 ? 0 : 1;

function help(scenarios) {
  return `npm run simulate -- [flags]

  --scenario NAME   scenario of the list below; default: all
  --seed N          first seed; default: 1
  --seeds COUNT     number of successive seeds; default: 1
  --total COUNT     approximate seeds of all scenarios together; fast scenarios get more
  --events M        events within which faults begin; default: the scenario's
  --jobs N          number of processes; default: one per core
  --replay          print every event: number, virtual milliseconds, program, description
  --json            print a line of JSON per seed

The exit code is 1 if a seed fails. The faults of a failing seed are reduced to the fewest and earliest.

Scenarios:
${Array.from(scenarios, ([name, { title }]) => `  ${name.padEnd(16)}  ${title}\n`).join("")}`;
}

async function titles() {
  const found = new Map();
  await play(["names"], (line) => {
    const [name, title, share] = line.split("\t");
    found.set(name, { title, share: Number(share) });
  });
  return found;
}

function whole(name) {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1)
    refuse(`--${name} ${values[name]}: expected a whole number from 1 on`);
  return number;
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

async function playAll(name, asked) {
  const start = performance.now();
  const parts = Math.min(jobs, asked);
  const counts = Array.from({ length: parts }, (_, i) => Math.floor((asked + i) / parts));
  const totals = { seeds: 0, events: 0, faults: 0, failed: 0 };
  let from = seed;
  await Promise.all(
    counts.map((count) => {
      const words = [name, String(from), String(count), values.events, values.replay ? "replay" : ""];
      from += count;
      return play(words, (line) => {
        if (line.startsWith("{")) tell(JSON.parse(line), totals, asked);
        else console.log(line);
      });
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  if (!values.json)
    console.log(
      `${name}: ${totals.seeds} seeds, ${totals.events} events, ${totals.faults} faults, ${totals.failed} failed, ${seconds.toFixed(1)} s`,
    );
  return totals.failed + (totals.seeds === asked ? 0 : 1);
}

/** Writes a JSON line per seed, and per event if requested. */
function play(words, hear) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--enable-source-maps", program, ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout }).on("line", hear);
    child.on("error", reject);
    Promise.all([once(child, "close"), once(lines, "close")]).then(resolve, reject);
  });
}

function tell(outcome, totals, asked) {
  const { scenario, seed: own, events, met, violation, variant, faults, shortest, trace } = outcome;
  totals.seeds += 1;
  totals.events += events;
  totals.faults += met.length;
  if (violation !== null) totals.failed += 1;
  if (values.json) console.log(JSON.stringify(outcome));
  else if (violation !== null) {
    console.log(`${scenario} --seed ${own} FAILS: ${violation}`);
    if (variant) console.log(`  trains: ${JSON.stringify(variant)}`);
    console.log(`  faults: ${faults.join("; ") || "none"}\n  shortest: ${shortest.join("; ") || "none"}`);
  } else if (asked === 1) console.log(`${scenario} --seed ${own} holds: ${events} events, trace ${trace}`);
}
