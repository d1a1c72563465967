/**
 * Lists, tests, chooses and installs devices.
 * @module @laconic/runtime/devices
 */
export { automaticDevice, chooseDevice } from "./choose-device.ts";
export { devicesFolder } from "./known-devices.ts";
export { expectGpus, probeDevice, probeDevices } from "./choose-device.ts";
export type { DeviceReport } from "./choose-device.ts";
export { gpusHere } from "./choose-device.ts";
export { installDevice } from "./install-device.ts";
export type { InstallOptions, OptionalDevice } from "./install-device.ts";
export { runCommand } from "./install-device.ts";
export type { Outcome, RunCommand } from "./install-device.ts";
