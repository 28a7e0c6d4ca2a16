export { FileUnreadable, type Input } from "./input.ts";
export { inputsOf } from "./inputs.ts";
export { ROW_MAX_BYTES } from "./lines.ts";
export { localFile } from "./localFile.ts";
export { Reader, type ReadOptions } from "./reader.ts";
export { objectIn, type Row } from "./row.ts";
