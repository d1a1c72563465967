import { randomFromSeed, type Random } from "@laconic/core";
import { idleStory, ownerExamples, type TaughtSilence } from "../stories/owner-examples.ts";
import { deedsOf, ownWords } from "./copying.ts";
import type { Course } from "./course.ts";

/** Most words behind a name: what is said there tells a solver nothing. */
const deedWords = 3;

/** Examples of naming owners, and a quarter as many texts of the model as it was, a part of them behind what the idle read. */
export function owners(seed: string, silence: TaughtSilence = "chance"): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  return {
    task: { name: "story-tellers" },
    peakLearningRate: 4e-3,
    random: stream("owners"),
    prepare: async ({ model, tokenizer, most }) => {
      const idle = stream("idle");
      const read = Array.from({ length: 300 }, (_, i) => idleStory(idle.split(i)));
      const own = await ownWords(model, most, stream("own words"), read);
      const deeds = await deedsOf(model, tokenizer, most, stream("deeds"), deedWords);
      return (size, random) => [
        ...ownerExamples(tokenizer, size, random, deeds, silence),
        ...Array.from({ length: Math.ceil(size / 4) }, () => random.pick(own)),
      ];
    },
  };
}
