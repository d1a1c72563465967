/** Three significant digits in the binary unit that suits. */
export function formatBytes(bytes: number): string {
  const [name, size] = (
    [
      ["TiB", 2 ** 40],
      ["GiB", 2 ** 30],
      ["MiB", 2 ** 20],
      ["KiB", 2 ** 10],
    ] as const
  ).find(([, unit]) => bytes >= unit) ?? ["B", 1];
  return `${Number((bytes / size).toPrecision(3))} ${name}`;
}
