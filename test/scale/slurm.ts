import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { World } from "./world.ts";

export interface JobStart {
  readonly nodes: readonly string[];
  readonly ends: { readonly by: "limit" | "loss"; readonly steps: number } | null;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Runs a batch script as Slurm does: a signal before the limit goes to the batch shell if the script asks for it, the
 * limit ends all processes, and a job goes back to the queue by its own request or after the loss of a node.
 * @returns the last exit code, the output, and the starts that began
 */
export async function runJob(
  world: World,
  script: string,
  starts: readonly JobStart[],
): Promise<{ readonly code: number; readonly output: string; readonly began: number }> {
  const directives = new Map(
    [...readFileSync(script, "utf8").matchAll(/^#SBATCH --([\w-]+)(?:=(\S+))?$/gmu)].map(([, name = "", value]) => [
      name,
      value,
    ]),
  );
  const [, lead] = /^B:TERM@(\d+)$/u.exec(directives.get("signal") ?? "") ?? [];
  let output = "";
  for (const [index, { nodes, ends }] of starts.entries()) {
    rmSync(world.path("requeued"), { force: true });
    const env = {
      SLURM_JOB_ID: "7",
      SLURM_RESTART_COUNT: String(index),
      SLURM_JOB_NODELIST: nodes.join(","),
      SLURM_NNODES: String(nodes.length),
      SLURM_CPUS_PER_TASK: directives.get("cpus-per-task") ?? "1",
      SKYRL: world.path("skyrl"),
      LACONIC: world.path("project"),
      CHECKPOINTS: world.path("shared/checkpoints"),
      PORT: String(await freePort()),
      STUB_HOST: nodes[0] as string,
    };
    world.pauseAfter(ends?.steps ?? null);
    const job = world.start(["bash", script], env, world.folder);
    if (ends) {
      const list = ends.steps >= 4 ? "shared/checkpoints/tinker.db" : undefined;
      await Promise.race([world.reached("shared/checkpoints/run", ends.steps, list), job.ended]);
      if (ends.by === "loss") world.lose();
      else if (lead !== undefined) job.child.kill("SIGTERM");
      if (ends.by === "limit") await Promise.race([job.ended, delay(20_000)]);
    }
    const limit = setTimeout(world.lose, 60_000);
    const code = await job.ended;
    clearTimeout(limit);
    output += job.output();
    const again = ends?.by === "loss" ? directives.has("requeue") : existsSync(world.path("requeued"));
    world.lose();
    if (!again || index === starts.length - 1) return { code, output, began: index + 1 };
  }
  throw new Error("no start");
}
