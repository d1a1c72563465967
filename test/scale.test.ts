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
