import { LaconicError, thrownText } from "@laconic/core";
import type { ModelFiles, OpenFile } from "@laconic/core/files";
import { encodeHeader, headerLength, parseHeader, prefixBytes, decodeValues, encodeValues } from "./safetensors.ts";
import type { SafetensorsFile } from "./safetensors.ts";
import type { TensorSource } from "../transformer/parameters.ts";

/** Read before `close`. */
export interface OpenTensors {
  readonly tensors: ReadonlyMap<string, TensorSource>;
  close(): Promise<void>;
}

/**
 * Reads only the header.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid`.
 */
export async function openSafetensorsFile(
  files: ModelFiles,
  path: string,
): Promise<OpenTensors & Pick<SafetensorsFile, "metadata">> {
  return closedOnError(await openToRead(files, path), async (file) => {
    const size = file.bytes;
    const prefix = await readAt(file, 0, Math.min(prefixBytes, size), path);
    const dataStart = prefixBytes + headerLength(prefix, size, path);
    const json = await readAt(file, prefixBytes, dataStart - prefixBytes, path);
    const { entries, metadata } = parseHeader(json, size - dataStart, path);
    const tensors = new Map<string, TensorSource>();
    for (const [name, { dtype, shape, start, end }] of entries)
      tensors.set(name, {
        shape,
        read: async () => decodeValues(await readAt(file, dataStart + start, end - start, path), dtype),
      });
    return { tensors, metadata, close: () => file.close() };
  });
}

export async function closedOnError<File extends { close(): Promise<void> }, T>(
  file: File,
  body: (file: File) => T | Promise<T>,
): Promise<T> {
  try {
    return await body(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @throws LaconicError `run_unwritable`. */
export async function writeSafetensorsFile(
  files: ModelFiles,
  path: string,
  tensors: ReadonlyMap<string, TensorSource>,
  dtype: "F32" | "F64",
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  await writeSynced(files, path, async (write) => {
    await write(encodeHeader(tensors, dtype, metadata));
    for (const tensor of tensors.values()) await write(encodeValues(await tensor.read(), dtype));
  });
}

/** @throws LaconicError `run_unwritable`. */
export async function writeSynced(
  files: ModelFiles,
  path: string,
  body: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const disk = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw new LaconicError(
        "run_unwritable",
        `${path} cannot be written: ${thrownText(error)}`,
        { file: path },
        error,
      );
    }
  };
  const file = await disk(() => files.openToWrite(path));
  try {
    await body((bytes) => disk(() => file.write(bytes)));
    await disk(() => file.sync());
  } finally {
    await file.close();
  }
}

/** @throws LaconicError `checkpoint_missing`, or `weights_invalid` for pipes and devices. */
export async function openToRead(files: ModelFiles, path: string): Promise<OpenFile> {
  try {
    return await files.openToRead(path);
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw new LaconicError("checkpoint_missing", `${path} cannot be read: ${thrownText(error)}`, { file: path }, error);
  }
}

export function invalidFile(path: string, reason: string, cause?: unknown): LaconicError {
  return new LaconicError("weights_invalid", `${path} ${reason}`, { file: path }, cause);
}

/** @throws LaconicError `weights_invalid` if too short. */
export async function readAt(file: OpenFile, start: number, length: number, path: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = await file.read(bytes.subarray(filled), start + filled);
    if (read === 0) throw invalidFile(path, `ends at byte ${start + filled}`);
    filled += read;
  }
  return bytes;
}
