import { bytesFlag, choiceFlag, grouped, positional, positiveFlag, wholeFlag } from "../cli/arguments.ts";
import { command, type Command } from "../cli/command.ts";
import { spinWhile } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { applyOverrides, describeRemote, describeRun, parseAppConfig, planRemote, planRun } from "@laconic/runtime";
import { assumedSpeed, cardNames, cards, chooseDevice } from "@laconic/runtime/devices";
import { settingsFolders } from "@laconic/runtime/models";
import { jsonFlag, runFlags } from "../cli/flags.ts";
import { loadConfig } from "@laconic/runtime/resolver";

export const planCommand: Command = command({
  description: "Estimate the memory, the largest batches and the time of a run before it starts",
  examples: ["laconic plan preset:relay-quickstart"],
  args: {
    config: positional("Configuration file or preset:NAME"),
    device: runFlags.device,
    ...grouped("Limits", {
      memory: bytesFlag("Memory per worker (default: the device's)", "24GiB"),
      card: choiceFlag("GPU that is not here: its memory and speed", cardNames),
      tflops: positiveFlag("Sustained TFLOPS (default: measured)", "100"),
      "prompt-tokens": wholeFlag()("Prompt length in tokens", "512"),
      "completion-tokens": wholeFlag()("Reply length in tokens", "512"),
    }),
    ...jsonFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const card = args.card && cards[args.card];
    const name = args.device ?? (card && "cuda");
    const overrides = name === undefined ? rest : [`device=${name}`, ...rest];
    const config = parseAppConfig(applyOverrides(await loadConfig(args.config), overrides));
    const openModel = settingsFolders(terminal);
    const options = {
      promptTokens: args["prompt-tokens"] ?? null,
      completionTokens: args["completion-tokens"] ?? null,
      memoryBytes: args.memory ?? card?.memory ?? null,
      assumed: assumedSpeed(args.card, args.tflops),
      openModel,
    };
    if (config.engine) {
      const plan = await planRemote(config, config.engine, await openModel(config.model), options);
      printResult(terminal, args.json, plan, describeRemote);
      return;
    }
    const device = await chooseDevice(config.device, config.workers, terminal.note, config);
    const folder = await openModel(config.model);
    const plan = await spinWhile(terminal, `measuring the speed and memory of ${device.name}`, () =>
      planRun(config, folder, device, options),
    );
    printResult(terminal, args.json, plan, describeRun);
  },
});
