const longest = 1000;

/** A message in which a name of a megabyte does not hide the rest. */
export function clipped(message: string): string {
  const short = message.replaceAll(/\S{200,}/gu, (word) => `${word.slice(0, 80)}…${word.slice(-40)}`);
  return short.length <= longest ? short : `${short.slice(0, longest)}…`;
}
