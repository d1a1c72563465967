// What every thread of a kernel set does: plain JavaScript, so that helpers open it from the repository and from a package alike.

/** Whole numbers of the board, by position. Those that threads wait for and write at once lie in cache lines of their own. */
export const word = {
  /** Grows with every job; helpers wait for it. */
  job: 0,
  /** Set once, when the kernel set ends. */
  ended: 1,
  /** Helpers that may be at work. */
  inside: 16,
  /** Parts that helpers have done, of all jobs. */
  helped: 17,
  /** Set once, when a function failed in a helper. */
  failed: 18,
  /** The job: its function, how many arguments, threads, parts and units of work there are, and units of a part. */
  function: 32,
  argumentCount: 33,
  threads: 34,
  parts: 35,
  units: 36,
  grain: 37,
  /** Position of the argument that counts units. */
  countAt: 38,
  /** Position of the argument for working space, -1 for none, and its bytes for each thread. */
  scratchAt: 39,
  scratchBytes: 40,
  /** Parts that somebody has taken, of those that are each thread's first: a line for each. */
  taken: 48,
};

export const maxThreads = 64;
/** Words of a cache line. */
export const line = 16;
const words = word.taken + line * maxThreads;
const maxArguments = 24;
export const boardBytes = 4 * words + 2 * 8 * maxArguments;

/** Views of the board at an address of a shared memory: arguments, and what each grows by for a unit. */
export function boardAt(buffer, address) {
  return {
    words: new Int32Array(buffer, address, words),
    base: new Float64Array(buffer, address + 4 * words, maxArguments),
    steps: new Float64Array(buffer, address + 4 * words + 8 * maxArguments, maxArguments),
  };
}

/**
 * Does parts of the job until all are taken, and returns how many. A thread begins with the same share of every job, whose rows
 * its cache may hold, and helps the others then.
 */
export function takeParts(board, functions, thread) {
  const { words: at } = board;
  let done = 0;
  for (let turn = 0; turn < at[word.threads]; turn++) {
    const of = (thread + turn) % at[word.threads];
    for (;;) {
      // The job is read behind this: while a part of it is to be had, it stands.
      const taken = Atomics.add(at, word.taken + line * of, 1);
      const share = at[word.parts] / at[word.threads];
      const part = Math.floor(of * share) + taken;
      if (part >= Math.floor((of + 1) * share)) break;
      doPart(board, functions, thread, part);
      done += 1;
    }
  }
  return done;
}

function doPart({ words: at, base, steps }, functions, thread, part) {
  const first = part * at[word.grain];
  const args = [];
  for (let i = 0; i < at[word.argumentCount]; i++) args.push(base[i] + first * steps[i]);
  args[at[word.countAt]] = Math.min(at[word.grain], at[word.units] - first);
  if (at[word.scratchAt] >= 0) args[at[word.scratchAt]] += thread * at[word.scratchBytes];
  functions[at[word.function]](...args);
}
