import {
  checkTokenGradient,
  joinSequences,
  ragged,
  raggedRow,
  type ForwardOptions,
  type JoinedSequences,
  type Ragged,
  type Sampler,
  type SequenceLogProbs,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";

/**
 * A model that passes over what sequences share once: turns of one conversation, each the prompt of the next, cost one
 * sequence as long as the last. Log-probs and gradients are those of the sequences apart, up to rounding; where nothing is
 * shared they are the same bits. With dropout the shared part has one mask.
 */
export function joinedModel(model: TrainableModel): TrainableModel {
  const { sample, forward } = joinedSampler(model);
  const { id, parameters, trainableParameters, contextLength } = model;
  return {
    id,
    parameters,
    trainableParameters,
    contextLength,
    sample,
    forward,
    get weightVersion() {
      return model.weightVersion;
    },
    async forwardBackward(rows, tokenGradient) {
      const joined = joinSequences(rows);
      const members = membersOf(joined);
      const result = await model.forwardBackward(joined.sequences, (logProbs, chosen) => {
        const own = chosen.flatMap((sequence) => members[sequence] as number[]);
        const ownLogProbs = rowsOf(joined, logProbs, own, chosen);
        const gradient = tokenGradient(ownLogProbs, own);
        checkTokenGradient(gradient, ownLogProbs, own);
        return spread(joined, gradient, { rows: own, chosen, layout: logProbs });
      });
      return split(joined, result);
    },
    optimStep: (settings) => model.optimStep(settings),
    async snapshot() {
      const snapshot = await model.snapshot();
      return { ...joinedSampler(snapshot), weightVersion: snapshot.weightVersion, dispose: () => snapshot.dispose() };
    },
    save: (folder) => model.save(folder),
    load: (folder) => model.load(folder),
    dispose: () => model.dispose(),
  };
}

function joinedSampler(sampler: Sampler): Sampler {
  return {
    get weightVersion() {
      return sampler.weightVersion;
    },
    sample: (requests, onToken) => sampler.sample(requests, onToken),
    async forward(rows: readonly TrainingSequence[], options?: ForwardOptions) {
      const joined = joinSequences(rows);
      return split(joined, await sampler.forward(joined.sequences, options));
    },
  };
}

/** Rows of each joined sequence. */
function membersOf({ sequences, spans }: JoinedSequences): number[][] {
  const members: number[][] = sequences.map(() => []);
  spans.forEach(({ sequence }, row) => members[sequence]?.push(row));
  return members;
}

/**
 * What stands in the rows' spans.
 * @param chosen - the joined sequences that `data` covers, in its order
 */
function rowsOf({ spans }: JoinedSequences, data: Ragged, rows: readonly number[], chosen: readonly number[]): Ragged {
  const place = new Map(chosen.map((sequence, at) => [sequence, at]));
  return ragged(
    rows.map((row) => {
      const { sequence, start, length } = spans[row] as JoinedSequences["spans"][number];
      return raggedRow(data, place.get(sequence) as number).subarray(start, start + length);
    }),
  );
}

/** Adds up what the rows say of each token; tokens that no row trains get 0. */
function spread(
  { spans }: JoinedSequences,
  gradient: Float64Array,
  { rows, chosen, layout }: { readonly rows: readonly number[]; readonly chosen: readonly number[]; layout: Ragged },
): Float64Array {
  const place = new Map(chosen.map((sequence, at) => [sequence, at]));
  const whole = new Float64Array(layout.values.length);
  let at = 0;
  for (const row of rows) {
    const { sequence, start, length } = spans[row] as JoinedSequences["spans"][number];
    const from = (layout.offsets[place.get(sequence) as number] as number) + start;
    for (let i = 0; i < length; i++) whole[from + i] = (whole[from + i] as number) + (gradient[at++] as number);
  }
  return whole;
}

function split(joined: JoinedSequences, result: SequenceLogProbs): SequenceLogProbs {
  const all = joined.spans.map((_, row) => row);
  const chosen = joined.sequences.map((_, sequence) => sequence);
  const { atOne, entropyIsEstimate } = result;
  return {
    logProbs: rowsOf(joined, result.logProbs, all, chosen),
    entropy: rowsOf(joined, result.entropy, all, chosen),
    ...(entropyIsEstimate && { entropyIsEstimate }),
    ...(atOne && {
      atOne: joined.spans.map(({ sequence, start, length }) => (atOne[sequence] ?? []).slice(start, start + length)),
    }),
  };
}
