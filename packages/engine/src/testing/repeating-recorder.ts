import type { Kernels, Recorder } from "../kernels/index.ts";

/**
 * A kernel set with a recorder that runs again what it was shown: its recordings are as exact as the set itself.
 * @param fails - asked before each recording and replay; true refuses the one, gives the other up
 */
export function withRepeatingRecorder(
  kernels: Kernels,
  fails: () => boolean = () => false,
): Kernels & { readonly recorder: Recorder } {
  const counts = { recorded: 0, replayed: 0, refused: {} };
  const recorder: Recorder = {
    counts,
    rehearse: (body) => body(),
    record(body) {
      if (fails()) return null;
      body();
      counts.recorded += 1;
      let kept = true;
      return {
        replay() {
          kept &&= !fails();
          if (!kept) return false;
          body();
          counts.replayed += 1;
          return true;
        },
        free: () => {
          kept = false;
        },
      };
    },
  };
  return { ...kernels, recorder };
}
