import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readText, repositoryFiles, root } from "./workspace.ts";

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly {
      readonly args?: readonly string[];
      readonly ports?: readonly { readonly name: string }[];
      readonly volumeMounts?: readonly { readonly name: string }[];
      readonly resources: { readonly limits: object };
    }[];
    readonly volumes?: readonly { readonly name: string; readonly persistentVolumeClaim?: { claimName: string } }[];
  };
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

const folder = "docs/scale/kubernetes";
const resources = readdirSync(join(root, folder)).flatMap((file) =>
  parseAllDocuments(readText(`${folder}/${file}`), { uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join(", ")}`);
    return document.toJS() as Resource;
  }),
);

/** Every `template` of a pod in a resource. */
function podsIn(value: unknown): Pod[] {
  if (typeof value !== "object" || value === null) return [];
  return [...("template" in value ? [value.template as Pod] : []), ...Object.values(value).flatMap(podsIn)];
}

const pods = resources.flatMap(({ spec }) => podsIn(spec));
const ofKind = (kind: string): Resource[] => resources.filter((resource) => resource.kind === kind);
const matches = (labels: unknown, pod: Pod): boolean =>
  Object.entries(labels as Record<string, string>).every(([key, value]) => pod.metadata.labels[key] === value);
const portsOf = ({ spec }: Pod): string[] => spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));

describe("Kubernetes manifests", () => {
  test("volumes are declared and claimed, and containers have limits", () => {
    const claims = ofKind("PersistentVolumeClaim").map(({ metadata }) => metadata.name);
    for (const { spec } of pods) {
      const volumes = (spec.volumes ?? []).map(({ name }) => name);
      for (const { volumeMounts = [], resources: asked } of spec.containers) {
        expect(volumes).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
        expect(Object.keys(asked.limits)).toEqual(expect.arrayContaining(["memory", "cpu"]));
      }
      const claimed = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
      expect(claims).toEqual(expect.arrayContaining(claimed));
    }
  });

  test("selectors find pods and ports", () => {
    for (const { spec } of ofKind("Deployment")) {
      const { matchLabels } = spec["selector"] as { matchLabels: unknown };
      expect(matches(matchLabels, spec["template"] as Pod)).toBe(true);
    }
    for (const { spec } of ofKind("Service")) {
      expect(spec["type"]).toBe("ClusterIP");
      const selected = pods.filter((pod) => matches(spec["selector"], pod));
      expect(selected.length).toBeGreaterThan(0);
      for (const { targetPort } of spec["ports"] as { targetPort: string }[])
        for (const pod of selected) expect(portsOf(pod)).toContain(targetPort);
    }
  });

  test("only the trainer reaches the server, which has no keys", () => {
    const [policy] = ofKind("NetworkPolicy").map(({ spec }) => spec as unknown as NetworkPolicy);
    const servers = pods.filter((pod) => portsOf(pod).length > 0);
    expect(servers).toHaveLength(2);
    for (const pod of servers) expect(matches(policy?.podSelector.matchLabels, pod)).toBe(true);
    const allowed = policy?.ingress.flatMap(({ from }) => from.map(({ podSelector }) => podSelector.matchLabels)) ?? [];
    const reaching = pods.filter((pod) => allowed.some((labels) => matches(labels, pod)));
    expect(reaching.map(({ metadata }) => metadata.labels["app"])).toEqual(["laconic"]);
  });

  test("the servers' settings are JSON", () => {
    const settings = pods
      .flatMap(({ spec }) => spec.containers.flatMap(({ args = [] }) => args))
      .filter((arg) => arg.startsWith("--backend-config="))
      .map((arg) => JSON.parse(arg.slice(arg.indexOf("=") + 1)) as object);
    expect(settings.map((each) => Object.keys(each).length > 1)).toEqual([true, true]);
  });
});

interface NetworkPolicy {
  readonly podSelector: { readonly matchLabels: unknown };
  readonly ingress: readonly {
    readonly from: readonly { readonly podSelector: { readonly matchLabels: unknown } }[];
  }[];
}

test("shell recipes are valid shell", () => {
  const scripts = repositoryFiles().filter((path) => /^(?:docs\/scale|scripts)\/.*\.(?:sh|sbatch)$/u.test(path));
  expect(scripts.length).toBeGreaterThan(2);
  for (const script of scripts) {
    expect(readText(script)).toMatch(/^#!\/usr\/bin\/env bash\n/u);
    expect(readText(script)).toContain("set -euo pipefail");
    expect(spawnSync("bash", ["-n", join(root, script)]).stderr.toString()).toBe("");
  }
});

test("recipes that start an optimizer set what no request changes, and name pages that are there", () => {
  const recipes = repositoryFiles().filter((file) =>
    /^(?:docs\/scale\/.*\.(?:sh|sbatch|yaml)|scripts\/.*\.sh)$/u.test(file),
  );
  const starting = recipes.filter(
    (file) => /--backend-config/u.test(readText(file)) && !/--backend jax/u.test(readText(file)),
  );
  expect(starting.length).toBeGreaterThan(2);
  for (const file of starting)
    for (const key of ["adam_betas", "weight_decay", "max_grad_norm"])
      expect(readText(file), file).toContain(`trainer.policy.optimizer_config.${key}`);
  for (const file of recipes)
    for (const [page] of readText(file).matchAll(/docs\/[\w/.-]+\.md/gu))
      expect(repositoryFiles(), file).toContain(page);
});
