import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { boundedJson, LaconicError } from "@laconic/core";
import type { OwnPolicy, Seen } from "./plain-policy.ts";
import { readSafetensors } from "./weights-file.ts";

const script = new URL("../../assets/audit-peer.py", import.meta.url);

type Json = Readonly<Record<string, unknown>>;

interface Waiting {
  resolve(answer: Json): void;
  reject(error: unknown): void;
}

/** A Python process that moves weights by autograd. */
export class PythonPeer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  #waiting: Waiting | null = null;
  #said = "";
  /** Of PyTorch. */
  version = "";

  private constructor(python: string) {
    this.#child = spawn(python, [fileURLToPath(script)], { stdio: ["pipe", "pipe", "pipe"] });
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#lines.on("line", (line) => this.#settle(({ resolve }) => resolve(boundedJson(line) as Json)));
    this.#child.stderr.on("data", (text: Buffer) => (this.#said = `${this.#said}${text.toString()}`.slice(-2000)));
    const ended = (why: string): void =>
      this.#settle(({ reject }) =>
        reject(
          new LaconicError(
            "engine_failed",
            `${python} ${why}: ${this.#said.trim().split("\n").at(-1) ?? ""}; --with-python takes a Python with torch, transformers and safetensors, named by --python or LACONIC_PYTHON`,
            { python },
          ),
        ),
      );
    this.#child.stdin.on("error", () => undefined); // its end is told by the next line
    this.#child.on("error", (error) => ended(`did not start (${error.message})`));
    this.#child.on("close", (code) => ended(`ended with ${code}`));
  }

  /** @throws LaconicError `engine_failed` for a Python that lacks what it takes */
  static async start(python: string): Promise<PythonPeer> {
    const peer = new PythonPeer(python);
    const { version } = await peer.ask({ do: "hello" });
    peer.version = String(version);
    return peer;
  }

  ask(question: Json): Promise<Json> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#child.exitCode === null) this.#child.stdin.write(`${JSON.stringify(question)}\n`);
      else this.#settle((waiting) => waiting.reject(new LaconicError("engine_failed", `Python ended: ${this.#said}`)));
    });
  }

  close(): void {
    this.#child.stdin.end();
    this.#lines.close();
  }

  #settle(use: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) use(waiting);
  }

  /** The weights of a model's folder, or of an adapter's and of the base under it. */
  async open(folder: string, base: string | null = null): Promise<OwnPolicy> {
    const { id } = await this.ask({ do: "open", folder, base });
    const forwardOf =
      (model: unknown): OwnPolicy["forward"] =>
      async (sequences) =>
        (await this.ask({ do: "forward", id: model, sequences }))["seen"] as readonly Seen[];
    return {
      forward: forwardOf(id),
      backward: async (sequences, dLogProbs) => {
        const { seen, norm } = await this.ask({ do: "backward", id, sequences, dLogProbs });
        return { seen: seen as readonly Seen[], norm: norm as number };
      },
      step: async (settings, learningRate) => void (await this.ask({ do: "step", id, ...settings, learningRate })),
      weights: async () => {
        const folderOf = await mkdtemp(join(tmpdir(), "laconic-audit-"));
        try {
          const path = join(folderOf, "weights.safetensors");
          await this.ask({ do: "save", id, path });
          return (await readSafetensors(path)).weights;
        } finally {
          await rm(folderOf, { recursive: true, force: true });
        }
      },
      copy: async () => {
        const { id: copy } = await this.ask({ do: "copy", id });
        return { forward: forwardOf(copy), free: async () => void (await this.ask({ do: "free", id: copy })) };
      },
      close: async () => undefined,
    };
  }
}
