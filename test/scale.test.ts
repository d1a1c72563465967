import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { behind, isAllowed, matches, ofKind, podsOf, portOf, readManifests, valueOf } from "./scale/kubernetes.ts";
import type { Pod } from "./scale/kubernetes.ts";
import { readText, repositoryFiles, root } from "./workspace.ts";

const recipes = join(root, "docs/scale/kubernetes");
const all = readManifests(recipes);
const oneNode = readManifests(recipes, ["skyrl.yaml"]);
const withoutDeployment = { ...all, resources: all.resources.filter(({ kind }) => kind !== "Deployment") };
const pods = all.resources.flatMap(podsOf);
const [trainer] = ofKind(all, "Job").flatMap(podsOf) as [Pod];

describe("Kubernetes manifests", () => {
  test("volumes are declared, claimed and used, and containers have limits", () => {
    const claims = ofKind(all, "PersistentVolumeClaim").map(({ metadata }) => metadata.name);
    for (const { spec } of pods) {
      const mounted = spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
      expect([...new Set(mounted)].toSorted()).toEqual((spec.volumes ?? []).map(({ name }) => name).toSorted());
      for (const { resources } of spec.containers)
        expect(Object.keys(resources.limits)).toEqual(expect.arrayContaining(["memory", "cpu"]));
      const claimed = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
      expect(claims).toEqual(expect.arrayContaining(claimed));
    }
  });

  test.each([
    ["skyrl.yaml", oneNode],
    ["raycluster.yaml", withoutDeployment],
  ] as const)("%s: selectors, services, probes and policies agree on declared ports", (_, namespace) => {
    for (const { spec } of ofKind(namespace, "Deployment"))
      expect(matches(spec.selector?.matchLabels, spec.template as Pod)).toBe(true);
    for (const { metadata, spec } of ofKind(namespace, "Service")) {
      expect(spec.type).toBe("ClusterIP");
      for (const { port } of spec.ports ?? []) {
        const address = `http://${metadata.name}:${port}`;
        for (const pod of behind(namespace, address, trainer).pods)
          expect(pod.spec.containers.some((item) => item.readinessProbe)).toBe(true);
        const stranger = { ...trainer, metadata: { labels: { app: "stranger" } } };
        expect(() => behind(namespace, address, stranger)).toThrow("a network policy refuses");
      }
    }
    for (const pod of namespace.resources.flatMap(podsOf))
      for (const { args = [], env = [], ports = [], readinessProbe } of pod.spec.containers) {
        const listens = args.flatMap((word) => /^--port=(\d+)$/u.exec(word)?.[1] ?? []).map(Number);
        expect(ports.map(({ containerPort }) => containerPort)).toEqual(expect.arrayContaining(listens));
        const local = env.flatMap(({ value = "" }) => /^127\.0\.0\.1:(\d+)$/u.exec(value)?.[1] ?? []).map(Number);
        const named = [...local, ...(readinessProbe ? [readinessProbe.httpGet.port] : [])];
        expect(named.filter((port) => !portOf(pod, port))).toEqual([]);
      }
  });

  test("the nodes of a Ray cluster reach each other, with one token from a secret", () => {
    const nodes = ofKind(all, "RayCluster").flatMap(podsOf);
    expect(nodes.length).toBe(2);
    for (const from of nodes)
      for (const to of nodes) expect(isAllowed(all, from, to, 6379) && isAllowed(all, from, to, 10_002)).toBe(true);
    expect(isAllowed(all, trainer, nodes[0] as Pod, 6379)).toBe(false);
    const tokens = nodes.flatMap(({ spec }) =>
      spec.containers.map(({ env = [] }) =>
        env.filter(({ name }) => name.startsWith("RAY_AUTH")).map((item) => valueOf(all, item)),
      ),
    );
    expect(new Set(tokens.map(String)).size).toBe(1);
    expect(tokens[0]?.[0]).toBe("token");
    expect(tokens[0]?.[1]?.length).toBeGreaterThan(16);
  });
});

test("shell recipes are valid shell", () => {
  const scripts = repositoryFiles().filter((path) => /^(?:docs\/scale|scripts)\/.*\.(?:sh|sbatch)$/u.test(path));
  expect(scripts.length).toBeGreaterThan(2);
  for (const script of scripts) {
    expect(readText(script)).toMatch(/^#!\/usr\/bin\/env bash\n/u);
    expect(readText(script)).toContain("set -euo pipefail");
    expect(spawnSync("bash", ["-n", join(root, script)]).stderr.toString()).toBe("");
  }
});
