import { grouped, positional, textFlag, wholeFlag } from "../cli/arguments.ts";
import { resolve } from "node:path";
import { evaluate, evaluationOptions, evaluationWarnings, livePolicies } from "@laconic/trainer";
import { formatInterval, formatNumber, formatPercent } from "@laconic/core/text";
import { command, type Command } from "../cli/command.ts";
import { spinWhile } from "../cli/progress.ts";
import { withoutScore } from "@laconic/view/report";
import { jsonFlag, runChoiceFlags, runChoiceOf } from "../cli/flags.ts";
import { actorChoice, openFoundRun, openRun, seenProblems, seenWarnings } from "@laconic/runtime";
import { actorCap, actorSpendingFlags, spentText } from "../run/spending.ts";
import { actorSpending } from "@laconic/runtime/spending";
import { withSource } from "@laconic/runtime/resolver";
import { visibleJson } from "../cli/terminal.ts";

export const evalCommand: Command = command({
  description: "Evaluate a run's last checkpoint on test problems",
  examples: ["laconic eval runs/quickstart --limit 200", "laconic eval runs/quickstart --best --json"],
  args: {
    directory: positional("Run folder", "RUN"),
    ...grouped("Limits", {
      limit: wholeFlag(1, 1000)("Max test problems, 1 to 1000 (default: the run's evaluation.problems)", "n"),
    }),
    ...grouped("Sampling", { seed: textFlag("Seed of the sampling (default: the run's)", "text") }),
    ...runChoiceFlags,
    ...grouped("Model", {
      actor: textFlag("Model of the frozen agents: hub:OWNER/NAME, FOLDER, RUN or api:NAME@URL", "model"),
    }),
    ...actorSpendingFlags,
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const { run, actor, spending, opened } = await openRun(
      resolve(args.directory),
      runChoiceOf(args),
      async (foundRun) => {
        for (const warning of foundRun.warnings) terminal.warn(warning);
        const chosen = args.actor === undefined ? null : await actorChoice(args.actor, terminal);
        const spent = await actorSpending(chosen?.speaks ?? foundRun.config.actor, actorCap(args));
        const parts = await spinWhile(terminal, "loading the run's models", () =>
          openFoundRun(foundRun, terminal, { spending: spent, ...(chosen && { actor: chosen.speaks }) }),
        );
        return { run: foundRun, actor: chosen, spending: spent, opened: parts };
      },
    );
    const { config, state } = run;
    const { parts, close } = opened;
    try {
      const { pool, testProblems } = parts.task;
      const seen = seenProblems({ testProblems, ...(pool && { pool }) });
      for (const warning of seenWarnings(seen)) terminal.warn(warning);
      const defaults = evaluationOptions(config.train);
      const { limit: problems = defaults.problems, seed = defaults.seed } = args;
      const options = { ...defaults, problems, seed, step: state.step };
      const count = Math.min(options.problems, testProblems.length);
      const { evaluation, episodes } = await spinWhile(terminal, `measuring ${count} test problems`, () =>
        evaluate(parts, livePolicies(parts), options),
      ).catch((error: unknown) => {
        throw withSource(error, config);
      });
      for (const warning of evaluationWarnings(evaluation, episodes)) terminal.warn(warning);
      terminal.result(
        args.json
          ? visibleJson({
              ...evaluation,
              split: "test",
              seed: options.seed,
              ...(seen.test && { seenInTraining: seen.test }),
              ...(actor && { actor: actor.title }),
              ...(spending?.price && { spentUsd: spending.account.spentUsd }),
            })
          : `step ${evaluation.step}: accuracy ${formatPercent(evaluation.accuracy)} (95 % interval ${formatInterval(evaluation.interval)}), ${formatNumber(evaluation.tokens)} tokens per episode, ${evaluation.problems} test problems, one sample each, seed ${options.seed}${withoutScore(evaluation)}${actor ? `, actor ${actor.title}` : ""}${spentText(spending)}`,
      );
      return 0;
    } finally {
      await close();
    }
  },
});
