/** A variable of the environment; an empty one is as good as none. */
export function environmentValue(name: string): string | undefined {
  const value = process.env[name];
  return value === "" ? undefined : value;
}
