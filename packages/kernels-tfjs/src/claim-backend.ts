import { LaconicError } from "@laconic/core";

let held: { readonly name: string; sets: number } | null = null;

/**
 * TensorFlow.js computes on one backend at a time in a thread: kernel sets on another one would silently move over.
 * @returns what gives the backend up again
 * @throws LaconicError `device_unavailable` while kernel sets on another backend are alive in this thread
 */
export function claimBackend(name: string): () => void {
  if (held && held.name !== name)
    throw new LaconicError(
      "device_unavailable",
      `this thread's TensorFlow.js computes on ${held.name}; dispose of that kernel set, or start ${name} in a worker`,
      { device: name },
    );
  held ??= { name, sets: 0 };
  held.sets++;
  let given = false;
  return () => {
    if (given || !held) return;
    given = true;
    if (--held.sets === 0) held = null;
  };
}

/** Claims a backend for what `open` makes; gives it up when that fails. */
export async function claiming<T>(name: string, open: (release: () => void) => Promise<T>): Promise<T> {
  const release = claimBackend(name);
  try {
    return await open(release);
  } catch (error) {
    release();
    throw error;
  }
}
