/** A server as the choice sees it. */
export interface Candidate {
  readonly url: string;
  readonly inFlight: number;
  readonly slots: number;
}

/**
 * The server for a prompt: the one whose cache is likeliest to hold the prompt's beginning, unless it is busier than the idlest
 * one by more than `slack` requests; then the next in the prompt's own order of preference. Null when every slot is taken.
 *
 * The order is by rendezvous hashing (Thaler and Ravishankar 1998), so that a server that comes or goes moves only the
 * prompts that were, or will be, its own.
 * @param prefix - of `prefixHash`
 */
export function chooseServer<C extends Candidate>(candidates: readonly C[], prefix: number, slack: number): C | null {
  let idlest = Infinity;
  let chosen = null as C | null;
  let weight = -1;
  for (const { inFlight, slots } of candidates) if (inFlight < slots) idlest = Math.min(idlest, inFlight);
  for (const candidate of candidates) {
    if (candidate.inFlight >= candidate.slots || candidate.inFlight > idlest + slack) continue;
    const own = textHash(candidate.url, prefix);
    if (own > weight) [chosen, weight] = [candidate, own];
  }
  return chosen;
}

/** FNV-1a of a prompt's first tokens, as an unsigned 32-bit number. */
export function prefixHash(tokens: readonly number[], length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < Math.min(length, tokens.length); i++) hash = mixed(hash, tokens[i] as number);
  return hash >>> 0;
}

function textHash(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  // The last characters of addresses alone differ: their bits are spread (MurmurHash3's finaliser).
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}
