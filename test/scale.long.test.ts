import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Kubelet, ofKind, podsOf, readManifests, type Namespace, type Pod } from "./scale/kubernetes.ts";
import { freePort, runJob, type JobStart } from "./scale/slurm.ts";
import { hasPython, makeWorld, type Started } from "./scale/world.ts";
import { root } from "./workspace.ts";

const recipes = join(root, "docs/scale");
const allSteps = Array.from({ length: 12 }, (_, i) => i + 1);
const sorted = (steps: readonly number[]): number[] => steps.toSorted((a, b) => a - b);
const pairs = [
  ["n1", "n2"],
  ["n3", "n1"],
  ["n2", "n3"],
] as const;
const rest: JobStart = { nodes: pairs[2], ends: null };

describe.skipIf(!hasPython)("the Slurm recipe (needs python3)", () => {
  test.each([
    ["saves before the time limit, and continues on other nodes", { by: "limit", steps: 6 }, []],
    ["starts again after a loss before the first checkpoint", { by: "loss", steps: 2 }, [1, 2]],
    ["continues from the last checkpoint after a loss of its nodes", { by: "loss", steps: 6 }, [5, 6]],
  ] as const)("%s", async (_, ends, repeated) => {
    const world = await makeWorld();
    const { code, output, began } = await runJob(world, join(recipes, "slurm/skyrl.sbatch"), [
      { nodes: pairs[0], ends },
      rest,
    ]);
    expect({ code, began }, output).toEqual({ code: 0, began: 2 });
    expect(sorted(world.steps())).toEqual(sorted([...allSteps, ...repeated]));
    expect(existsSync(world.path("shared/checkpoints/run/LOCK"))).toBe(false);
  });

  test("continues after two time limits, and ends once with the run's last step", async () => {
    const world = await makeWorld();
    const starts: readonly JobStart[] = [
      { nodes: pairs[0], ends: { by: "limit", steps: 3 } },
      { nodes: pairs[1], ends: { by: "limit", steps: 7 } },
      rest,
    ];
    const { code, output, began } = await runJob(world, join(recipes, "slurm/skyrl.sbatch"), starts);
    expect({ code, began, steps: world.steps() }, output).toEqual({ code: 0, began: 3, steps: allSteps });
  });

  test("one-node.sh keeps SQLite on the node's disk, and the next server finds the checkpoints", async () => {
    const world = await makeWorld();
    for (const path of ["/save?step-1", "/load?step-1"]) {
      const port = await freePort();
      const env = {
        PORT: String(port),
        CHECKPOINTS: world.path("shared/checkpoints"),
        STUB_HOST: "n1",
        TMPDIR: world.path("home"),
      };
      const server = world.start(["bash", join(recipes, "ray/one-node.sh")], env, world.path("skyrl"));
      const ask = (): Promise<number> =>
        fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers: { "x-node": "n1" } }).then(
          ({ status }) => status,
          () => (server.child.exitCode === null ? new Promise((resolve) => setTimeout(() => resolve(ask()), 20)) : -1),
        );
      expect(await ask(), server.output()).toBe(200);
      server.child.kill("SIGTERM");
      expect(await server.ended, server.output()).toBe(0);
      expect(readdirSync(world.path("home"))).toEqual([]);
    }
  });
});

describe.skipIf(!hasPython)("the Kubernetes manifests (needs python3)", () => {
  const all = readManifests(join(recipes, "kubernetes"));
  const oneNode = readManifests(join(recipes, "kubernetes"), ["skyrl.yaml"]);
  const withoutDeployment = { ...all, resources: all.resources.filter(({ kind }) => kind !== "Deployment") };
  const [trainer] = ofKind(all, "Job").flatMap(podsOf) as [Pod];
  const startServer = async (kubelet: Kubelet, namespace: Namespace): Promise<Started> => {
    const [server] = ofKind(namespace, "Deployment").flatMap(podsOf);
    if (server) return kubelet.run(server);
    const [head, worker] = ofKind(namespace, "RayCluster").flatMap(podsOf) as [Pod, Pod];
    let address = "";
    const commands = {
      "ray-head": (host: string) => ((address = `${host}:6379`), ["ray", "start", "--head", "--port", "6379"]),
      "ray-worker": () => ["ray", "start", "--address", address, "--block"],
    };
    const started = await kubelet.run(head, commands);
    for (const pod of [worker, worker]) await kubelet.run(pod, commands);
    return started;
  };

  test.each([
    ["skyrl.yaml", "SIGTERM", 6, [], oneNode],
    ["skyrl.yaml", "SIGKILL", 2, [1, 2], oneNode],
    ["raycluster.yaml", "SIGKILL", 6, [5, 6], withoutDeployment],
  ] as const)(
    "%s trains to the end, although %s ends all pods after step %i",
    async (_, signal, step, repeated, namespace) => {
      const world = await makeWorld();
      const kubelet = new Kubelet(world, namespace);
      world.pauseAfter(step);
      const server = await startServer(kubelet, namespace);
      const first = await kubelet.run(trainer);
      await Promise.race([world.reached("shared/skyrl-checkpoints/run", step), first.ended, server.ended]);
      expect(server.child.exitCode, server.output()).toBe(null);
      first.child.kill(signal);
      expect(await first.ended, first.output()).toBe(signal === "SIGTERM" ? 143 : 137);
      world.lose();
      world.pauseAfter(null);
      await startServer(kubelet, namespace);
      const second = await kubelet.run(trainer);
      expect(await second.ended, second.output()).toBe(0);
      expect(sorted(world.steps())).toEqual(sorted([...allSteps, ...repeated]));
    },
  );
});
