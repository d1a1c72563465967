import { randomFromSeed, type TrainingSequence } from "@laconic/core";

/** Sequences of an update in group order, and replies per group. */
export interface Work {
  readonly name: string;
  readonly groupSize: number;
  readonly sequences: readonly TrainingSequence[];
}

type Say = (tokens: number) => number[];

/** Typical team updates: 64 sequences in groups of 8, unless named otherwise. */
export function works(vocabulary: number): readonly Work[] {
  const work = (name: string, groupSize: number, make: (say: Say) => TrainingSequence[], groups = 8): Work => {
    const random = randomFromSeed(name);
    const say: Say = (tokens) => Array.from({ length: tokens }, () => random.integer(vocabulary));
    return { name, groupSize, sequences: Array.from({ length: groups }, () => make(say)).flat() };
  };
  return [
    work("prompt 16, reply 64", 8, (say) => replies(say, 16, 64)),
    work("prompt 256, reply 64", 8, (say) => replies(say, 256, 64)),
    work("prompt 512, reply 16", 8, (say) => replies(say, 512, 16)),
    work("debate: 3 agents, 2 rounds", 6, debate),
    work("four turns of one agent", 8, fourTurns, 2),
    work("one group: prompt 16, reply 64", 8, (say) => replies(say, 16, 64), 1),
    work("16 groups of 4: prompt 8, reply 16", 4, (say) => replies(say, 8, 16, 4), 16),
  ];
}

function replies(say: Say, prompt: number, reply: number, count = 8): TrainingSequence[] {
  const promptTokens = say(prompt);
  return Array.from({ length: count }, () => ({ promptTokens, completionTokens: say(reply) }));
}

/** Each agent answers, then reads all answers, followed by its marker. */
function debate(say: Say): TrainingSequence[] {
  const prompt = say(200);
  const first = Array.from({ length: 3 }, () => say(40));
  const read = [...prompt, ...first.flat()];
  return [
    ...first.map((completionTokens) => ({ promptTokens: prompt, completionTokens })),
    ...first.map((_, agent) => ({ promptTokens: [...read, agent], completionTokens: say(40) })),
  ];
}

function fourTurns(say: Say): TrainingSequence[] {
  const problem = say(128);
  return Array.from({ length: 8 }, () => {
    const turns: TrainingSequence[] = [];
    for (let context = problem; turns.length < 4;) {
      const completionTokens = say(24);
      turns.push({ promptTokens: context, completionTokens });
      context = [...context, ...completionTokens, ...say(24)];
    }
    return turns;
  }).flat();
}
