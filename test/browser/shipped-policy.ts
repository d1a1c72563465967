import { memoryFileSystem } from "../../packages/core/src/files/index.ts";
import { modelFolder, type Files } from "./session.ts";

const addresses: Readonly<Record<string, URL>> = {
  "config.json": new URL("../../packages/runtime/assets/relay-one-fact/config.json", import.meta.url),
  "model.safetensors": new URL("../../packages/runtime/assets/relay-one-fact/model.safetensors", import.meta.url),
};

export async function fetchPolicy(): Promise<Files> {
  const files = memoryFileSystem();
  for (const [name, address] of Object.entries(addresses))
    await files.write(`${modelFolder}/${name}`, new Uint8Array(await (await fetch(address)).arrayBuffer()));
  return files;
}
