// Arrays that all threads of the process see. They are zeros at first.

export const sharedUint32 = (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4));
export const sharedInt32 = (length: number) => new Int32Array(new SharedArrayBuffer(length * 4));
export const sharedDoubles = (length: number) => new Float64Array(new SharedArrayBuffer(length * 8));
