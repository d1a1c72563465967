// Entry point bundled by scripts/simulate.mjs: plays seeds of a scenario and prints one JSON line per seed.
import { describeFault } from "./faults.ts";
import { scenarios } from "./scenarios/table.ts";
import { playSeed, shrunk } from "./simulate.ts";

const [scenario = "", from = "1", count = "1", events = "", mode = ""] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (scenario === "names")
  for (const [name, { title, share }] of Object.entries(scenarios)) say(`${name}\t${title}\t${share}`);
else await playAll(Number(from), Number(count), events === "" ? {} : { events: Number(events) });

async function playAll(first: number, seeds: number, options: { readonly events?: number }): Promise<void> {
  // Stack traces dominate the cost of missing files.
  if (mode !== "replay") Error.stackTraceLimit = 2;
  // Loads lazy modules before events are counted.
  await playSeed(scenario, first, options);
  for (let seed = first; seed < first + seeds; seed++) {
    const outcome = await playSeed(scenario, seed, { ...options, keepsLines: mode === "replay" });
    const { lines, faults, met, ...rest } = outcome;
    const shortest = outcome.violation !== null ? await shrunk(scenario, outcome) : null;
    for (const [i, line] of lines.entries()) say(`${String(i + 1).padStart(6)} ${line}`);
    const words = {
      faults: faults.map(describeFault),
      met: met.map(({ kind }) => kind),
      shortest: shortest?.map(describeFault) ?? null,
    };
    say(JSON.stringify({ scenario, ...rest, ...words }));
  }
}
