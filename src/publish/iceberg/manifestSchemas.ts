/** Fields of Iceberg's manifests, version 2, with the numbers that its specification gives them. */

const field = (id: number, name: string, type: unknown) => ({ name, type, "field-id": id });
const optional = (id: number, name: string, type: unknown) => ({ ...field(id, name, ["null", type]), default: null });

/** A map from numbers of columns to values in their binary form. */
const bounds = (key: number, value: number) => ({
  type: "array",
  logicalType: "map",
  items: {
    type: "record",
    name: `k${key}_v${value}`,
    fields: [field(key, "key", "int"), field(value, "value", "bytes")],
  },
});

const DATA_FILE = {
  type: "record",
  name: "r2",
  fields: [
    field(134, "content", "int"),
    field(100, "file_path", "string"),
    field(101, "file_format", "string"),
    field(102, "partition", { type: "record", name: "r102", fields: [] }),
    field(103, "record_count", "long"),
    field(104, "file_size_in_bytes", "long"),
    optional(125, "lower_bounds", bounds(126, 127)),
    optional(128, "upper_bounds", bounds(129, 130)),
  ],
};

/** An entry of a manifest: a data file. */
export const MANIFEST_ENTRY = {
  type: "record",
  name: "manifest_entry",
  fields: [
    field(0, "status", "int"),
    optional(1, "snapshot_id", "long"),
    optional(3, "sequence_number", "long"),
    optional(4, "file_sequence_number", "long"),
    field(2, "data_file", DATA_FILE),
  ],
};

/** An entry of a list of manifests. */
export const MANIFEST_FILE = {
  type: "record",
  name: "manifest_file",
  fields: [
    field(500, "manifest_path", "string"),
    field(501, "manifest_length", "long"),
    field(502, "partition_spec_id", "int"),
    field(517, "content", "int"),
    field(515, "sequence_number", "long"),
    field(516, "min_sequence_number", "long"),
    field(503, "added_snapshot_id", "long"),
    field(504, "added_files_count", "int"),
    field(505, "existing_files_count", "int"),
    field(506, "deleted_files_count", "int"),
    field(512, "added_rows_count", "long"),
    field(513, "existing_rows_count", "long"),
    field(514, "deleted_rows_count", "long"),
  ],
};
