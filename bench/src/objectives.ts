// Loss, gradient and diagnostics of every objective on 1,024 sequences of 512 tokens. Each runs in a process of its
// own, as in a run: many objectives in one process would share, and spoil, the compiled inner loop.
import { randomFromSeed, type ObjectiveInput } from "@laconic/core";
import { objectiveNames, objectivePreset, type ObjectiveName } from "@laconic/gspo/presets";
import { machine, print, timeSync } from "./measure.ts";
import { again } from "./processes.ts";
import { readWords } from "./options.ts";

const [only] = readWords() as [ObjectiveName?];
if (only) measure(only);
else {
  print("machine", machine());
  for (const name of objectiveNames) again(import.meta.filename, name);
}

function measure(name: ObjectiveName): void {
  const [sequences, length] = [1024, 512];
  const random = randomFromSeed(0);
  const offsets = Int32Array.from({ length: sequences + 1 }, (_, s) => s * length);
  const old = Float64Array.from({ length: sequences * length }, () => -3 * random.uniform());
  const input: ObjectiveInput = {
    logProbs: { values: old.map((value) => value + 0.05 * random.normal()), offsets },
    oldLogProbs: { values: old, offsets },
    advantages: Float64Array.from({ length: sequences }, () => random.normal()),
  };
  const objective = objectivePreset(name, name === "dr-grpo" ? { constantLength: length } : {});
  let sink = 0;
  const times = timeSync(() => {
    sink += objective.evaluate(input).loss;
  }, 25);
  print("objective", { name, sequences, length, ...times, finite: Number.isFinite(sink) });
}
