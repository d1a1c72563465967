/** What opening and training a run says while it goes on. Whoever calls decides how it is shown. */
export interface Progress {
  note(text: string): void;
  warn(message: string): void;
  /**
   * Work that may take a while has begun.
   * @returns ends it
   */
  begin(activity: string): () => void;
  /** The bytes of a download, again and again. */
  download(name: string): (state: { readonly bytes: number; readonly total: number }) => void;
  /** A request failed and is sent again. */
  retry(attempt: number, reason: string): void;
  /** A step of a supervised warm start is over; its loss is in nats per token. */
  warmStartStep(state: { readonly step: number; readonly steps: number; readonly loss: number }): void;
}

/** Says what is being done until it is over. */
export async function during<T>(progress: Progress, activity: string, work: () => Promise<T>): Promise<T> {
  const done = progress.begin(activity);
  try {
    return await work();
  } finally {
    done();
  }
}
