import { openToAppend, writing } from "./files.ts";

export interface Appender {
  /**
   * Resolves when the data is durable.
   * @throws LaconicError `run_unwritable`, also in later calls
   */
  append(data: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file to append. Data that arrives during a sync shares the next one.
 * @param bytes - length of the valid part; the rest is truncated
 * @throws LaconicError `run_unwritable`
 */
export async function openAppender(path: string, bytes: number, advice?: string): Promise<Appender> {
  const file = await writing(path, () => openToAppend(path, bytes), advice);
  let batch: Uint8Array[] = [];
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    const data = Buffer.concat(batch);
    [batch, next] = [[], null];
    const writeBatch = async (): Promise<void> => {
      await file.appendFile(data);
      await file.datasync();
    };
    await writing(path, writeBatch, advice);
  };
  return {
    append(data) {
      batch.push(Buffer.from(data));
      if (next === null) {
        next = current.then(write);
        current = next;
        current.catch(() => undefined);
      }
      return next;
    },
    async close() {
      await current.catch(() => undefined);
      await file.close();
    },
  };
}
