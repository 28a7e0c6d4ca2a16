export { FileUnreadable, type Input } from "./input.ts";
export { inputsOf } from "./inputs.ts";
export { lineRows } from "./lines.ts";
export { localFile } from "./localFile.ts";
export { Reader } from "./reader.ts";
export { objectIn, type Row } from "./row.ts";
