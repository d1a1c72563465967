/**
 * Shuffles like Python's `random.seed(seed)` and `random.shuffle`: MT19937 (Matsumoto and Nishimura 1998), seeded by
 * `init_by_array`, with rejection sampling of bits.
 * @param seed - integer from 0 to 2^32 - 1
 */
export function pythonShuffle(seed: number): <T>(items: readonly T[]) => T[] {
  const next = twister(seed);
  const below = (count: number): number => {
    const shift = Math.clz32(count);
    for (;;) {
      const drawn = next() >>> shift;
      if (drawn < count) return drawn;
    }
  };
  return (items) => {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j] as (typeof shuffled)[number], shuffled[i] as (typeof shuffled)[number]];
    }
    return shuffled;
  };
}

const [size, middle] = [624, 397];

/** Returns 32 random bits as an unsigned number. */
function twister(seed: number): () => number {
  const state = seeded(seed);
  let at = size;
  const word = (i: number): number => state[i % size] as number;
  return () => {
    if (at === size) {
      for (let i = 0; i < size; i++) {
        const y = (word(i) & 0x8000_0000) | (word(i + 1) & 0x7fff_ffff);
        state[i] = word(i + middle) ^ (y >>> 1) ^ (y & 1 ? 0x9908_b0df : 0);
      }
      at = 0;
    }
    let y = word(at++);
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

/** State after `init_by_array` with one word. */
function seeded(seed: number): Uint32Array {
  const state = new Uint32Array(size);
  const mixed = (i: number): number => {
    const before = state[i - 1] as number;
    return before ^ (before >>> 30);
  };
  state[0] = 19_650_218;
  for (let i = 1; i < size; i++) state[i] = Math.imul(1_812_433_253, mixed(i)) + i;
  let i = 1;
  const step = (factor: number, added: number): void => {
    state[i] = ((state[i] as number) ^ Math.imul(mixed(i), factor)) + added;
    if (++i < size) return;
    state[0] = state[size - 1] as number;
    i = 1;
  };
  for (let k = 0; k < size; k++) step(1_664_525, seed);
  for (let k = 1; k < size; k++) step(1_566_083_941, -i);
  state[0] = 0x8000_0000;
  return state;
}
