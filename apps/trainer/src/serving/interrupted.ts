/** Resolves when the user or the system ends the process; a second signal ends it at once. */
export function interrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolveSignal) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => {
        process.once(signal, () => process.exit(signal === "SIGINT" ? 130 : 143));
        resolveSignal(signal);
      });
  });
}
