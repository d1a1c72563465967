// The page never computes.
import { LaconicError } from "@laconic/core";
import type { Kernels } from "@laconic/engine/kernels";
import { createKernels } from "@laconic/engine/wasm";
import packageJson from "../../../package.json" with { type: "json" };
import { failureOf } from "./session.ts";
import { keptFiles, keptFolder, runFolder, type KeptFiles, type Store } from "./kept-files.ts";
import type { Command, Keeping, Opening, WorkerMessage } from "./messages.ts";
import { opfsStore } from "./opfs-store.ts";
import { policyFolder, relayWorld } from "./relay-world.ts";
import { settingsOf } from "./run-config.ts";
import { configOfRun } from "./run-view.ts";
import { Session } from "./session.ts";
import type { LevelName, PlaygroundDevice } from "./settings.ts";
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

/** Time that a closing page can hold the run. */
const leavingMs = 1500;

let keeping: Keeping = { isKept: false, words: "" };
let opening: ReturnType<typeof open> | null = null;
/** Training runs concurrently and yields to commands. */
let last: Promise<void> = Promise.resolve();

self.addEventListener("message", ({ data }: MessageEvent<Command>) => {
  if (data.type === "ping") return say({ type: "pong" });
  if (data.type === "open") opening = open(data);
  const work = async (): Promise<void> => {
    const { session, device } = await (opening as ReturnType<typeof open>);
    await obey(session, data);
    if (data.type === "open" || data.type === "reset" || data.type === "import")
      say({ type: "opened", run: await session.view(), glimpse: await session.glimpse(), device, keeping });
  };
  const guarded = (): Promise<void> =>
    work().catch((error: unknown) => say({ type: "failed", failure: failureOf(data.type, error) }));
  if (data.type === "train" || data.type === "pause" || data.type === "ask") void last.then(guarded);
  else last = last.then(guarded);
});

async function obey(session: Session, command: Command): Promise<unknown> {
  switch (command.type) {
    case "train":
      return session.train(command.steps);
    case "pause":
      return session.pause();
    case "save":
      return session.save();
    case "adjust":
      return session.adjust(command);
    case "reset":
      return session.reset(command.settings);
    case "ask":
      return session.ask(command.problem, command.draw, command.liar);
    case "export":
      return session.exportRun();
    case "import":
      return session.importRun(command.archive);
    case "open":
    case "ping":
      return undefined;
  }
}

async function open({
  settings,
  keep,
  fresh,
}: Opening): Promise<{ readonly session: Session; readonly device: string }> {
  const { level } = settings;
  const { store, words } = keep ? await openStore(`laconic-playground-${level}`) : { store: null, words: "" };
  keeping = { isKept: store !== null, words };
  const files: KeptFiles = await keptFiles(keptFolder, store, (error) => {
    const reason = error.name === "QuotaExceededError" ? "its storage for this site is full" : error.message;
    keeping = {
      isKept: false,
      words: `The browser no longer saves the run: ${reason}. The run exists only in this tab: export it before you leave.`,
    };
    say({ type: "keeping", keeping });
  });
  const config = fresh ? null : await configOfRun(files);
  const { device } = config ? settingsOf(config, level) : settings;
  const [kernels, world] = await Promise.all([
    openKernels(device, level),
    level === "tellers" ? openTellers(files) : openRelay(files),
  ]);
  // The old run survives a failed opening.
  if (fresh) await files.remove(runFolder);
  const team = await openTeam(kernels, files, world);
  const environment = {
    laconic: packageJson.version,
    browser: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
    engine: team.capabilities,
  };
  const session = await Session.open(
    { team, files, environment, now: () => performance.now(), say, isKept: () => keeping.isKept },
    settings,
  );
  return { session, device: `${team.device} (${team.capabilities.backend})` };
}

async function openRelay(files: KeptFiles): Promise<World> {
  const weights = await Promise.all(
    Object.entries(policy).map(async ([name, address]) => [name, await fetched(address)] as const),
  );
  for (const [name, data] of weights) await files.write(`${policyFolder}/${name}`, data);
  return relayWorld();
}

/** Loads the tellers' code and model on first use. */
async function openTellers(files: KeptFiles): Promise<World> {
  const { keepStoryModel, storyModelFolder, tellersWorld } = await import("./tellers-world.ts");
  if (!(await files.exists(storyModelFolder)))
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

/** Opens the private file system, if available and not held by another tab. */
async function openStore(name: string): Promise<{ readonly store: Store | null; readonly words: string }> {
  const without = (reason: string): { store: null; words: string } => ({
    store: null,
    words: `${reason} The run exists only in this tab: export it before you leave.`,
  });
  if (!("storage" in navigator) || typeof navigator.storage.getDirectory !== "function")
    return without("This browser has no private file system, or not for this address.");
  if (!(await held(name))) return without("Another tab has the saved run.");
  try {
    return { store: await opfsStore(name), words: "Saved in this browser. A reload resumes the run." };
  } catch (error) {
    return without(`The browser refuses to store files (${(error as Error).message}).`);
  }
}

/** Holds a lock until the worker ends. */
async function held(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request(name, { signal: AbortSignal.timeout(leavingMs) }, () => {
        resolve(true);
        return new Promise(() => undefined);
      })
      .catch(() => resolve(false));
  });
}
