/**
 * Devices by name: listed, tried, chosen and installed.
 * @module @laconic/runtime/devices
 */
export { automaticDevice, chooseDevice } from "./choose-device.ts";
export { devicesFolder } from "./known-devices.ts";
export { expectGpus, probeDevice, probeDevices } from "./probe-devices.ts";
export type { DeviceReport } from "./probe-devices.ts";
export { gpusHere } from "./list-gpus.ts";
export { installDevice } from "./install/install-device.ts";
export type { InstallOptions, OptionalDevice } from "./install/install-options.ts";
export { runCommand } from "./install/run-command.ts";
export type { Outcome, RunCommand } from "./install/run-command.ts";
