import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("..", import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly license?: string;
  readonly repository?: { readonly directory?: string };
  readonly engines?: { readonly node?: string };
  readonly homepage?: string;
  readonly bugs?: string;
  readonly files?: readonly string[];
  readonly keywords?: readonly string[];
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly publishConfig?: { readonly access?: string; readonly exports?: Readonly<Record<string, unknown>> };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  /** Relative to the root, with forward slashes. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** All published packages: packages/* and apps/*. */
export const publishedPackages: readonly WorkspacePackage[] = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(readText(`${folder}/package.json`)) as Manifest })),
);

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Files tracked or trackable by git, relative to the root. */
export function repositoryFiles(): readonly string[] {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  return list
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)));
}
