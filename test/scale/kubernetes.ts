import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { freePort } from "./slurm.ts";
import type { Started, World } from "./world.ts";

type Labels = Readonly<Record<string, string>>;

interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: string | number } };
  readonly resources: { readonly limits: object };
}

interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly emptyDir?: object;
}

export interface Pod {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly hostname?: string;
    readonly containers: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
}

interface Selector {
  readonly matchLabels?: Labels;
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly type?: string;
    readonly template?: Pod;
    readonly accessModes?: readonly string[];
    readonly selector?: Labels & Selector;
    readonly podSelector?: Selector;
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
    readonly ingress?: readonly {
      readonly from: readonly { readonly podSelector?: Selector }[];
      readonly ports?: readonly { readonly port: string | number }[];
    }[];
  };
}

export interface Namespace {
  readonly resources: readonly Resource[];
  readonly secrets: Readonly<Record<string, string>>;
}

/** @throws Error for a manifest that is not YAML */
export function readManifests(folder: string, files: readonly string[] = readdirSync(folder)): Namespace {
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  const documents = texts.flatMap((text) => parseAllDocuments(text, { uniqueKeys: true }));
  for (const { errors } of documents) if (errors.length > 0) throw new Error(errors.join(", "));
  const created = texts.flatMap((text) => [
    ...text.matchAll(/^#.*create secret generic (\S+) --from-literal=(\w+)=/gmu),
  ]);
  return {
    resources: documents.map((document) => document.toJS() as Resource),
    secrets: Object.fromEntries(created.map(([, name, key]) => [`${name}/${key}`, `${name} of 64 hexadecimal digits`])),
  };
}

export function ofKind({ resources }: Namespace, kind: string): Resource[] {
  return resources.filter((resource) => resource.kind === kind);
}

export function matches(labels: Labels | undefined, pod: Pod): boolean {
  return Object.entries(labels ?? {}).every(([key, value]) => pod.metadata.labels[key] === value);
}

/** Every `template` of a pod in a resource, with labels that its operator adds. */
export function podsOf({ kind, metadata, spec }: Resource): Pod[] {
  const found = (value: unknown): Pod[] => {
    if (typeof value !== "object" || value === null) return [];
    return [...("template" in value ? [value.template as Pod] : []), ...Object.values(value).flatMap(found)];
  };
  const added: Labels = kind === "RayCluster" ? { "ray.io/cluster": metadata.name } : {};
  return found(spec).map((pod) => ({ ...pod, metadata: { labels: { ...pod.metadata.labels, ...added } } }));
}

export function portOf(
  pod: Pod,
  port: string | number,
): { readonly container: Container; readonly number: number } | null {
  for (const container of pod.spec.containers)
    for (const { name, containerPort: number } of container.ports ?? [])
      if (name === port || number === port) return { container, number };
  return null;
}

/** Whether network policies let one pod reach a port of another. */
export function isAllowed(namespace: Namespace, from: Pod, to: Pod, port: string | number): boolean {
  const policies = ofKind(namespace, "NetworkPolicy").filter(({ spec }) => matches(spec.podSelector?.matchLabels, to));
  const asked = portOf(to, port)?.number ?? port;
  return (
    policies.length === 0 ||
    policies
      .flatMap(({ spec }) => spec.ingress ?? [])
      .some(
        (rule) =>
          rule.from.some(({ podSelector }) => podSelector && matches(podSelector.matchLabels, from)) &&
          (rule.ports?.some((item) => portOf(to, item.port)?.number === asked) ?? true),
      )
  );
}

/** Pods behind an address such as `http://skyrl:8000`, and the port there. @throws Error for one that leads nowhere */
export function behind(
  namespace: Namespace,
  address: string,
  from: Pod,
): { readonly pods: readonly Pod[]; readonly port: string | number } {
  const { hostname, port } = new URL(address);
  const service = ofKind(namespace, "Service").find(({ metadata }) => metadata.name === hostname);
  const target = service?.spec.ports?.find((item) => String(item.port) === port)?.targetPort;
  if (target === undefined) throw new Error(`${address}: no service has this name and port`);
  const pods = namespace.resources.flatMap(podsOf).filter((pod) => matches(service?.spec.selector, pod));
  for (const pod of pods) {
    if (!portOf(pod, target)) throw new Error(`${address}: port ${target} is not declared by its pod`);
    if (!isAllowed(namespace, from, pod, target)) throw new Error(`${address}: a network policy refuses the pod`);
  }
  if (pods.length === 0) throw new Error(`${address}: no pod has the labels of the service`);
  return { pods, port: target };
}

export function valueOf(
  { secrets }: Namespace,
  { name, value, valueFrom }: NonNullable<Container["env"]>[number],
): string {
  const { name: secret, key } = valueFrom?.secretKeyRef ?? { name: "", key: "" };
  const found = valueFrom ? secrets[`${secret}/${key}`] : value;
  if (found === undefined) throw new Error(`${name}: secret ${secret} with key ${key} is never created`);
  return found;
}

const accessOf = (namespace: Namespace, claim: string): readonly string[] =>
  ofKind(namespace, "PersistentVolumeClaim").find(({ metadata }) => metadata.name === claim)?.spec.accessModes ?? [];

/** Pods on stand-ins: containers see their mounts, declared ports, secrets and allowed services, and nothing else. */
export class Kubelet {
  readonly #world: World;
  readonly #namespace: Namespace;
  readonly #local = new Map<number, number>();
  #pods = 0;

  constructor(world: World, namespace: Namespace) {
    this.#world = world;
    this.#namespace = namespace;
  }

  /** Starts the containers and returns the last one. @param commands - of containers that an operator starts, by name */
  async run(pod: Pod, commands: Readonly<Record<string, (host: string) => readonly string[]>> = {}): Promise<Started> {
    const id = `pod-${++this.#pods}`;
    const started: Started[] = [];
    for (const container of pod.spec.containers) {
      const located = (path: string): string => {
        const mount = container.volumeMounts?.find(({ mountPath }) => `${path}/`.startsWith(`${mountPath}/`));
        if (!mount) return this.#world.path(`${id}/${container.name}${path}`);
        const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
        const claim = volume?.persistentVolumeClaim?.claimName;
        const kind =
          claim !== undefined && accessOf(this.#namespace, claim).includes("ReadWriteMany") ? "shared" : "block";
        const folder = this.#world.path(claim === undefined ? `${id}/volume-${mount.name}` : `${kind}/${claim}`);
        mkdirSync(folder, { recursive: true });
        return folder + path.slice(mount.mountPath.length);
      };
      const paths = [...(container.volumeMounts ?? []).map(({ mountPath }) => mountPath), "/tmp/ray"];
      const ports = new Map<string, number>();
      for (const { containerPort } of container.ports ?? []) {
        if (!this.#local.has(containerPort)) this.#local.set(containerPort, await freePort());
        ports.set(String(containerPort), this.#local.get(containerPort) as number);
      }
      const translate = (text: string): string =>
        text
          .replaceAll(new RegExp(`(?<![\\w.-])(?:${paths.join("|")})(?![\\w.-])`, "gu"), located)
          .replace(/^--port=(\d+)$/u, (whole, port: string) => `--port=${ports.get(port) ?? whole}`)
          .replaceAll(/http:\/\/[a-z][\w-]*:\d+/gu, (address) => {
            const { pods, port } = behind(this.#namespace, address, pod);
            return `http://127.0.0.1:${this.#local.get(portOf(pods[0] as Pod, port)?.number as number)}`;
          });
      const env = Object.fromEntries(
        (container.env ?? []).map((item) => [item.name, translate(valueOf(this.#namespace, item))]),
      );
      const words = commands[container.name]?.(id) ?? [...(container.command ?? []), ...(container.args ?? [])];
      const home = this.#world.path(`${id}/home`);
      mkdirSync(home, { recursive: true });
      const own = { HOME: home, STUB_HOST: pod.spec.hostname ?? id, STUB_SOCKETS: located("/tmp/ray"), TMPDIR: home };
      const cwd = this.#world.path(container.workingDir?.slice(1) ?? "home");
      // An earlier container of a pod is ready before its neighbours connect to it.
      await started.at(-1)?.ended;
      started.push(
        this.#world.start(
          words.map((word) => translate(word.trim())),
          { ...own, ...env },
          cwd,
        ),
      );
    }
    return started.at(-1) as Started;
  }
}
