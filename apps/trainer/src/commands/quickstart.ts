import { LaconicError } from "@laconic/core";
import { command, type Command } from "../cli/command.ts";
import { relayQuickstart, storyTellers } from "@laconic/tasks/presets";
import { runFlags, viewFlag } from "../cli/flags.ts";
import { runTraining } from "../run/run-training.ts";

const introduction = `A team of four learns to say less.
Three holders each know one fact; the solver must add up two of them and sees only what the holders write.
They share one small policy that starts wordy. Watch accuracy hold while the tokens per episode fall.`;

const storyIntroduction = `Three tellers learn who has something to say.
One of them, another one each time, knows whose the thing is; a solver reads what all say and names the child.
They share a language model of 260,000 weights. First it is taught to copy names; then watch the two who know nothing fall silent.`;

export const quickstartCommand: Command = command({
  description: "Train a team to solve the same problems with a fraction of the words: minutes on two cores",
  args: {
    world: {
      type: "positional",
      required: false,
      description: "story: in English, with a model that is downloaded (1 MB) or lies in $LACONIC_DATA",
    },
    ...runFlags,
    ...viewFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const isStory = args.world === "story";
    const flags = { ...args, dryRun: args["dry-run"] };
    if (args.world !== undefined && !isStory && !args.world.includes("="))
      throw new LaconicError("config_invalid", `unexpected argument "${args.world}"; story is the only other world`);
    const words = args.world === undefined || isStory ? rest : [args.world, ...rest];
    terminal.note(`${isStory ? storyIntroduction : introduction}\n`);
    // The preset is implied, not brought: a resumed run is what it was started as.
    if (args.resume) return runTraining(null, words, flags, isStory ? "story" : "quickstart", terminal);
    if (!isStory) return runTraining({ ...relayQuickstart }, words, flags, "quickstart", terminal);
    return runTraining({ ...storyTellers }, words, flags, "story", terminal);
  },
});
