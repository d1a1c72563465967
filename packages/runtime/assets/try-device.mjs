// Starts one device and tells the parent what came of it: a native library that crashes takes only this process along.
const fromSource = import.meta.resolve("@laconic/core").endsWith(".ts");
if (fromSource) (await import("tsx/esm/api")).register();
const { tryDevice } = await import(fromSource ? "../src/devices/try-device.ts" : "../dist/devices/try-device.js");
const outcome = await tryDevice(JSON.parse(process.argv[2]));
// Not left to the libraries' own ends, which may hang or crash.
process.send(outcome, () => process.exit(0));
