/** Opens a snapshot in a process of its own: `tsx open-in-child.ts OPTIONS`, options as JSON. Prints bytes as they come, then the snapshot. */
import { writeSync } from "node:fs";
import { openSnapshot, type SnapshotOptions } from "@laconic/hub";

const options = JSON.parse(process.argv[2] ?? "") as SnapshotOptions;
const snapshot = await openSnapshot({ ...options, onProgress: ({ bytes }) => writeSync(1, `${bytes}\n`) });
writeSync(1, `${JSON.stringify(snapshot)}\n`);
