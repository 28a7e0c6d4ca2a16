import { formatNumber } from "./number.ts";

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** 1.5 GiB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${formatNumber(value >= 100 || power === 0 ? Math.round(value) : Math.round(value * 10) / 10)} ${UNITS[power]}`;
}
