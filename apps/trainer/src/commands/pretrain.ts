import { resolve } from "node:path";
import { formatCount, formatNumber, shellWord } from "@laconic/core/text";
import { pretrain, reasonerBase, type PretrainRow } from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { grouped, positional, positiveFlag, requiredFlag, textFlag, UsageError, wholeFlag } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { jsonFlag } from "../cli/flags.ts";
import { interrupts } from "../cli/interruption.ts";
import { leftText, showProgress } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";

const { steps, batch, bareSteps, learningRate, width, layers, seed } = reasonerBase;

export const pretrainCommand: Command = command({
  description: "Train a small base model from scratch on generated word problems; the same command resumes it",
  examples: ["laconic pretrain preset:reasoner --out models/reasoner --device cpu"],
  args: {
    preset: positional("Base model: preset:reasoner"),
    ...grouped("Output", { out: requiredFlag("Model folder", "folder") }),
    ...grouped("Limits", {
      steps: wholeFlag()("Optimizer steps", "n", `${steps}`),
      batch: wholeFlag()("Examples per step", "n", `${batch}`),
      "bare-steps": wholeFlag()("First steps that have only bare questions", "n", `${bareSteps}`),
    }),
    ...grouped("Model", {
      width: wholeFlag()("Hidden size, a multiple of 32", "n", `${width}`),
      layers: wholeFlag()("Layers", "n", `${layers}`),
      "learning-rate": positiveFlag("Peak learning rate", `${learningRate}`),
      device: textFlag("Device: auto, or a name from doctor", "name", "auto"),
    }),
    ...grouped("Sampling", { seed: textFlag("Seed of weights and examples", "text", seed) }),
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    if (args.preset !== "preset:reasoner")
      throw new UsageError(`PRESET: unknown base model ${args.preset}; expected preset:reasoner`);
    if (args.width % 32 !== 0) throw new UsageError(`--width is ${args.width}, expected a multiple of 32`);
    const settings = {
      ...reasonerBase,
      steps: args.steps,
      batch: args.batch,
      bareSteps: args["bare-steps"],
      width: args.width,
      layers: args.layers,
      seed: args.seed,
      learningRate: args["learning-rate"] ?? learningRate,
    };
    const folder = resolve(args.out);
    const place = await chooseDevice(args.device, "auto", terminal.note);
    const started = performance.now();
    let first: number | null = null;
    const stop = interrupts(() => terminal.note("saving; the same command resumes"));
    const onStep = ({ step, tokens, loss }: PretrainRow): void => {
      const from = (first ??= step);
      const left = leftText(started, (step - from) / Math.max(1, settings.steps - from));
      const line = `step ${step}/${settings.steps}  loss ${formatNumber(loss)}  ${formatCount(tokens)} tokens  ${left}`;
      showProgress(terminal, line, true);
    };
    const state = await pretrain(settings, { folder, place, signal: stop.signal, onStep }).finally(() =>
      stop.dispose(),
    );
    const seconds = (performance.now() - started) / 1000;
    printResult(terminal, args.json, { folder, ...state, seconds }, () => {
      const loss = formatNumber(state.curve.at(-1)?.loss ?? Number.NaN);
      return `${folder}: loss ${loss}; grade it with: laconic reproduce --small --model ${shellWord(folder)} --only vanilla`;
    });
  },
});
