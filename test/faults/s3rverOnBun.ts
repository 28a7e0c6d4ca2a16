import { createRequire } from "node:module";

/**
 * Loaded before s3rver, so that it lists more than a thousand objects. It writes the place of the next page with DES, which Bun does not have:
 * three times DES with one key is DES. And it takes a folder to be in the order of names.
 */
const require = createRequire(import.meta.url);
const crypto = require("node:crypto") as typeof import("node:crypto");
const fs = require("node:fs") as typeof import("node:fs");
const { createCipheriv, createDecipheriv } = crypto;
const { readdirSync } = fs;
const thrice = (key: Uint8Array) => Buffer.concat([key, key, key]);

Object.assign(crypto, {
  createCipheriv: (name: string, key: Uint8Array, iv: Uint8Array) =>
    name === "des" ? createCipheriv("des-ede3-cbc", thrice(key), iv) : createCipheriv(name, key, iv),
  createDecipheriv: (name: string, key: Uint8Array, iv: Uint8Array) =>
    name === "des" ? createDecipheriv("des-ede3-cbc", thrice(key), iv) : createDecipheriv(name, key, iv),
});
Object.assign(fs, {
  readdirSync: (path: string, ...options: []) => {
    const found = readdirSync(path, ...options);
    return found.every((entry) => typeof entry === "string") ? found.sort() : found;
  },
});
