import type { DuckDBDataChunk } from "@duckdb/node-api";
import { duckdbBindings } from "./duckdbClient.ts";

/** The numbers of a column as they lie in memory; those of NULL are any. They are lent for as long as the chunk lives. */
export function doublesOf(chunk: DuckDBDataChunk, column: number): Float64Array {
  return new Float64Array(bytesOf(chunk, column, 8).buffer, 0, chunk.rowCount);
}

/** `words`: so many of them make up a value, the lowest first. */
export function unsignedOf(chunk: DuckDBDataChunk, column: number, words = 1): Uint32Array {
  return new Uint32Array(bytesOf(chunk, column, words * 4).buffer, 0, chunk.rowCount * words);
}

export function integersOf(chunk: DuckDBDataChunk, column: number): Int32Array {
  return new Int32Array(bytesOf(chunk, column, 4).buffer, 0, chunk.rowCount);
}

/** Lists of unsigned numbers: that of row i is in `numbers`, from `bounds[4 * i]` on, `bounds[4 * i + 2]` long. Lent as above. */
export function listsOf(chunk: DuckDBDataChunk, column: number): { bounds: Uint32Array; numbers: Uint32Array } {
  const { bounds, bytes, size } = listedBytes(chunk, column, 4);
  return { bounds, numbers: new Uint32Array(bytes.buffer, 0, size) };
}

/** Lists of doubles, as above. */
export function doubleListsOf(chunk: DuckDBDataChunk, column: number): { bounds: Uint32Array; numbers: Float64Array } {
  const { bounds, bytes, size } = listedBytes(chunk, column, 8);
  return { bounds, numbers: new Float64Array(bytes.buffer, 0, size) };
}

function listedBytes(chunk: DuckDBDataChunk, column: number, width: number) {
  const duckdb = duckdbBindings();
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column);
  const size = duckdb.list_vector_get_size(vector);
  const bytes = aligned(duckdb.vector_get_data(duckdb.list_vector_get_child(vector), size * width));
  // Offsets and lengths of 64 bits.
  return { bounds: unsignedOf(chunk, column, 4), bytes, size };
}

/** Writes the first numbers of `from` as those of a column of the same width. */
export function writeColumn(
  chunk: DuckDBDataChunk,
  column: number,
  from: Float64Array | Uint32Array | Int32Array | Uint8Array | BigInt64Array,
): void {
  const duckdb = duckdbBindings();
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column);
  const bytes = chunk.rowCount * from.BYTES_PER_ELEMENT;
  duckdb.copy_data_to_vector(vector, 0, from.buffer as ArrayBuffer, from.byteOffset, bytes);
}

function bytesOf(chunk: DuckDBDataChunk, column: number, width: number): Uint8Array {
  const duckdb = duckdbBindings();
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column);
  return aligned(duckdb.vector_get_data(vector, chunk.rowCount * width));
}

const aligned = (bytes: Uint8Array): Uint8Array => (bytes.byteOffset === 0 ? bytes : bytes.slice());
