/** An optional peer: it is imported for its effect. */
declare module "@tensorflow/tfjs-backend-webgpu";
