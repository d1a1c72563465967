// The page never computes.
import { LaconicError } from "@laconic/core";
import { memoryFileSystem } from "@laconic/core/files";
import type { Kernels } from "@laconic/engine/kernels";
import { createKernels } from "@laconic/engine/wasm";
import packageJson from "../../../package.json" with { type: "json" };
import { failureOf, Session } from "./session.ts";
import type { WorkerFiles } from "./archive.ts";
import type { Command, WorkerMessage } from "./messages.ts";
import { policyFolder, relayWorld } from "./relay-world.ts";
import type { LevelName, PlaygroundDevice, PlaygroundSettings } from "./settings.ts";
import { openTeam } from "./team.ts";
import type { World } from "./world.ts";

declare const self: DedicatedWorkerGlobalScope;

const policy = {
  "config.json": new URL("../../../../runtime/assets/relay-one-fact/config.json", import.meta.url),
  "model.safetensors": new URL("../../../../runtime/assets/relay-one-fact/model.safetensors", import.meta.url),
};
const storyFiles = {
  checkpoint: new URL("../model/stories260K.bin", import.meta.url),
  tokenizer: new URL("../model/tok512.bin", import.meta.url),
};

const say = (message: WorkerMessage): void => self.postMessage(message);

let opening: ReturnType<typeof open> | null = null;
/** Training runs concurrently and yields to commands. */
let last: Promise<void> = Promise.resolve();

self.addEventListener("message", ({ data }: MessageEvent<Command>) => {
  if (data.type === "open") opening = open(data.settings);
  const work = async (): Promise<void> => {
    const { session, device } = await (opening as ReturnType<typeof open>);
    await obey(session, data);
    if (data.type === "open" || data.type === "reset")
      say({ type: "opened", settings: session.settings, glimpse: await session.glimpse(), device });
  };
  const guarded = (): Promise<void> =>
    work().catch((error: unknown) => say({ type: "failed", failure: failureOf(error) }));
  if (data.type === "train" || data.type === "pause" || data.type === "ask") void last.then(guarded);
  else last = last.then(guarded);
});

async function obey(session: Session, command: Command): Promise<unknown> {
  switch (command.type) {
    case "train":
      return session.train(command.steps);
    case "pause":
      return session.pause();
    case "adjust":
      return session.adjust(command);
    case "reset":
      return session.reset(command.settings);
    case "ask":
      return session.ask(command.problem, command.draw);
    case "export":
      return session.exportRun();
    case "open":
      return undefined;
  }
}

async function open(settings: PlaygroundSettings): Promise<{ readonly session: Session; readonly device: string }> {
  const { level, device } = settings;
  const files = memoryFileSystem();
  const [kernels, world] = await Promise.all([
    openKernels(device, level),
    level === "tellers" ? openTellers(files) : openRelay(files),
  ]);
  const team = await openTeam(kernels, files, world);
  const environment = {
    laconic: packageJson.version,
    browser: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
    engine: team.capabilities,
  };
  const session = new Session({ team, files, environment, now: () => performance.now(), say }, settings);
  return { session, device: `${team.device} (${team.capabilities.backend})` };
}

async function openRelay(files: WorkerFiles): Promise<World> {
  const weights = await Promise.all(
    Object.entries(policy).map(async ([name, address]) => [name, await fetched(address)] as const),
  );
  for (const [name, data] of weights) await files.write(`${policyFolder}/${name}`, data);
  return relayWorld();
}

async function openTellers(files: WorkerFiles): Promise<World> {
  const { keepStoryModel, tellersWorld } = await import("./tellers-world.ts");
  await keepStoryModel(files, await fetched(storyFiles.checkpoint), await fetched(storyFiles.tokenizer));
  return tellersWorld(files);
}

async function openKernels(device: PlaygroundDevice, level: LevelName): Promise<Kernels> {
  // Relay products are too small for several threads.
  if (device === "wasm") return createKernels(undefined, level === "tellers" ? { sharing: 1 } : undefined);
  const webgpu = await import("@laconic/engine/webgpu");
  return webgpu.createKernels(undefined);
}

/** Loads a file of the page's site. @throws LaconicError `weights_invalid` */
async function fetched(address: URL): Promise<Uint8Array> {
  const reply = await fetch(address).catch((error: unknown) => error as Error);
  if (!(reply instanceof Error) && reply.ok) return new Uint8Array(await reply.arrayBuffer());
  const reason = reply instanceof Error ? reply.message : `HTTP ${reply.status}`;
  throw new LaconicError("weights_invalid", `The page could not load ${address.pathname}: ${reason}. Reload the page.`);
}
