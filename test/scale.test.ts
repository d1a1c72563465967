import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readText, repositoryFiles, root } from "./workspace.ts";

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly resources: { readonly limits: Readonly<Record<string, unknown>> };
}

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
}

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const folder = "docs/scale/kubernetes";
const read = (file: string): Resource[] =>
  parseAllDocuments(readText(`${folder}/${file}`), { uniqueKeys: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
const resources = readdirSync(join(root, folder)).flatMap(read);

/** Every `template` of a pod, wherever it stands. */
function podsIn(value: unknown): Pod[] {
  if (Array.isArray(value)) return value.flatMap(podsIn);
  if (typeof value !== "object" || value === null) return [];
  const own = "template" in value ? [value.template as Pod] : [];
  return [...own, ...Object.values(value).flatMap(podsIn)];
}

const pods = resources.flatMap(({ spec }) => podsIn(spec));
const of = (kind: string): Resource[] => resources.filter((each) => each.kind === kind);
const matches = (wanted: unknown, { metadata: { labels } }: Pod): boolean =>
  Object.entries(wanted as Record<string, string>).every(([key, value]) => labels[key] === value);

describe("Kubernetes manifests", () => {
  test("each resource says what it is, once", () => {
    expect(resources.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).toSorted()).toEqual([
      "apps/v1 Deployment",
      "batch/v1 Job",
      "networking.k8s.io/v1 NetworkPolicy",
      "ray.io/v1 RayCluster",
      "v1 PersistentVolumeClaim",
      "v1 Service",
    ]);
    for (const { metadata } of resources) expect(metadata.name).toMatch(/^[a-z](?:[a-z0-9-]*[a-z0-9])?$/u);
  });

  test("selectors find pods, ports and volumes have their names, claims are claimed", () => {
    const claims = of("PersistentVolumeClaim").map(({ metadata }) => metadata.name);
    for (const { spec } of pods) {
      const volumes = new Set(spec.volumes?.map(({ name }) => name));
      for (const { volumeMounts = [], resources: asked } of spec.containers) {
        expect(volumeMounts.filter(({ name }) => !volumes.has(name))).toEqual([]);
        expect(Object.keys(asked.limits)).toEqual(expect.arrayContaining(["memory", "cpu"]));
      }
      const claimed = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim ? [claim.claimName] : [],
      );
      expect(claimed.filter((name) => !claims.includes(name))).toEqual([]);
    }
    const [deployment] = of("Deployment");
    const selector = deployment?.spec["selector"] as { matchLabels: unknown };
    expect(matches(selector.matchLabels, deployment?.spec["template"] as Pod)).toBe(true);
    for (const { spec } of of("Service")) {
      const found = pods.filter((pod) => matches(spec["selector"], pod));
      expect(found.length).toBeGreaterThan(0);
      for (const { targetPort } of spec["ports"] as { targetPort: string }[])
        for (const pod of found)
          expect(pod.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name))).toContain(targetPort);
    }
  });

  test("the server, which has no keys, is reached by the trainer alone", () => {
    for (const { spec } of of("Service")) expect(spec["type"]).toBe("ClusterIP");
    const [policy] = of("NetworkPolicy").map(
      ({ spec }) =>
        spec as {
          podSelector: { matchLabels: unknown };
          ingress: { from: { podSelector: { matchLabels: unknown } }[] }[];
        },
    );
    const servers = pods.filter((pod) => pod.spec.containers.some(({ ports = [] }) => ports.length > 0));
    expect(servers).toHaveLength(2);
    for (const pod of servers) expect(matches(policy?.podSelector.matchLabels, pod)).toBe(true);
    const allowed = policy?.ingress.flatMap(({ from }) => from.map(({ podSelector }) => podSelector.matchLabels)) ?? [];
    expect(
      pods.filter((pod) => allowed.some((each) => matches(each, pod))).map(({ metadata }) => metadata.labels["app"]),
    ).toEqual(["laconic"]);
  });

  test("the servers' settings are JSON", () => {
    const given = pods
      .flatMap(({ spec }) => spec.containers.flatMap(({ args = [] }) => args))
      .filter((arg) => arg.startsWith("--backend-config="));
    expect(given).toHaveLength(2);
    for (const arg of given)
      expect(Object.keys(JSON.parse(arg.slice(arg.indexOf("=") + 1)) as object).length).toBeGreaterThan(1);
  });
});

test("shell recipes are shell, and Slurm's says what it needs", () => {
  const scripts = repositoryFiles().filter((path) => /^(?:docs\/scale|scripts)\/.*\.(?:sh|sbatch)$/u.test(path));
  expect(scripts).toHaveLength(4);
  for (const script of scripts) {
    expect(readText(script)).toMatch(/^#!\/usr\/bin\/env bash\n/u);
    expect(readText(script)).toContain("set -euo pipefail");
    expect(spawnSync("bash", ["-n", join(root, script)]).stderr.toString()).toBe("");
  }
  const directives = [...readText("docs/scale/slurm/skyrl.sbatch").matchAll(/^#SBATCH --([\w-]+)=(\S+)$/gmu)].map(
    ([, key]) => key,
  );
  expect(directives).toEqual([
    "job-name",
    "nodes",
    "ntasks-per-node",
    "gpus-per-node",
    "cpus-per-task",
    "time",
    "signal",
  ]);
});

test("recipes that start an optimizer set what no request changes, and name pages that are there", () => {
  const recipes = repositoryFiles().filter((file) =>
    /^(?:docs\/scale\/.*\.(?:sh|sbatch|yaml)|scripts\/.*\.sh)$/u.test(file),
  );
  const starting = recipes.filter(
    (file) => /--backend-config/u.test(readText(file)) && !/--backend jax/u.test(readText(file)),
  );
  expect(starting).toHaveLength(4);
  for (const file of starting)
    for (const key of ["adam_betas", "weight_decay", "max_grad_norm"])
      expect(readText(file), file).toContain(`trainer.policy.optimizer_config.${key}`);
  for (const file of recipes)
    for (const [page] of readText(file).matchAll(/docs\/[\w/.-]+\.md/gu))
      expect(repositoryFiles(), file).toContain(page);
});
