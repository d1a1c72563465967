export declare const scope: string;
export declare const repository: string;
