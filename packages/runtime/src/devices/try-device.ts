import type { CreateKernels, KernelSource } from "@laconic/kernels";

/** Whether a device works, and its library and version or what is missing. */
export interface DeviceOutcome {
  readonly works: boolean;
  readonly detail: string;
  /** A GPU that is a program on the processor; absent for all others. */
  readonly emulated?: boolean;
}

/** Starts a device in this process and multiplies two numbers on it. A library that crashes takes the process along. */
export async function tryDevice({ module, options }: KernelSource): Promise<DeviceOutcome> {
  try {
    const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
    const kernels = await createKernels(options);
    try {
      const [two, three] = [2, 3].map((value) => kernels.upload(Float32Array.of(value), [1, 1])) as [never, never];
      const works = (await kernels.read(kernels.linear(two, three)))[0] === 6;
      return {
        works,
        detail: works ? kernels.backend : `${kernels.backend}: 2 x 3 came out wrong`,
        ...(kernels.emulated === true && { emulated: true }),
      };
    } finally {
      kernels.dispose();
    }
  } catch (error) {
    return { works: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
