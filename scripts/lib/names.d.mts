export declare const repository: string;
