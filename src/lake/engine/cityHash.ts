/** CityHash64 of version 1.0.2, which ClickHouse's `cityHash64` of a text is. */

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const MUL = 0x9ddfea08eb382d69n;

const wrap = (x: bigint): bigint => BigInt.asUintN(64, x);
const rotate = (x: bigint, by: bigint): bigint => wrap((x >> by) | (x << (64n - by)));
const shiftMix = (x: bigint): bigint => x ^ (x >> 47n);

/** Of the bytes; 64 bits, unsigned. */
export function cityHash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.byteLength;
  if (length <= 16) return hashTo16(view, length);
  if (length <= 32) return hashTo32(view, length);
  if (length <= 64) return hashTo64(view, length);
  return hashLong(view, length);
}

const word = (view: DataView, at: number): bigint => view.getBigUint64(at, true);

function hash16(low: bigint, high: bigint): bigint {
  const a = shiftMix(wrap((low ^ high) * MUL));
  const b = shiftMix(wrap((high ^ a) * MUL));
  return wrap(b * MUL);
}

function hashTo16(view: DataView, length: number): bigint {
  const n = BigInt(length);
  if (length > 8) {
    const [a, b] = [word(view, 0), word(view, length - 8)];
    return hash16(a, rotate(wrap(b + n), n)) ^ b;
  }
  if (length >= 4) {
    const a = BigInt(view.getUint32(0, true));
    return hash16(n + (a << 3n), BigInt(view.getUint32(length - 4, true)));
  }
  if (length === 0) return K2;
  const y = BigInt(view.getUint8(0) + (view.getUint8(length >> 1) << 8));
  const z = BigInt(length + (view.getUint8(length - 1) << 2));
  return wrap(shiftMix(wrap(y * K2) ^ wrap(z * K3)) * K2);
}

function hashTo32(view: DataView, length: number): bigint {
  const a = wrap(word(view, 0) * K1);
  const b = word(view, 8);
  const c = wrap(word(view, length - 8) * K2);
  const d = wrap(word(view, length - 16) * K0);
  return hash16(
    wrap(rotate(wrap(a - b), 43n) + rotate(c, 30n) + d),
    wrap(a + rotate(b ^ K3, 20n) - c + BigInt(length)),
  );
}

function hashTo64(view: DataView, length: number): bigint {
  const n = BigInt(length);
  const half = (start: bigint, at: number, last: bigint): [bigint, bigint] => {
    let a = start;
    const b = rotate(wrap(a + last), 52n);
    let c = rotate(a, 37n);
    a = wrap(a + word(view, at + 8));
    c = wrap(c + rotate(a, 7n));
    a = wrap(a + word(view, at + 16));
    return [wrap(a + last), wrap(b + rotate(a, 31n) + c)];
  };
  const [vf, vs] = half(wrap(word(view, 0) + (n + word(view, length - 16)) * K0), 0, word(view, 24));
  const [wf, ws] = half(wrap(word(view, 16) + word(view, length - 32)), length - 32, word(view, length - 8));
  const r = shiftMix(wrap((vf + ws) * K2 + (wf + vs) * K0));
  return wrap(shiftMix(wrap(r * K0 + vs)) * K2);
}

/** Of the 32 bytes at `at`. */
function weakHash32(view: DataView, at: number, start: bigint, second: bigint): [bigint, bigint] {
  let a = wrap(start + word(view, at));
  let b = rotate(wrap(second + a + word(view, at + 24)), 21n);
  const c = a;
  a = wrap(a + word(view, at + 8) + word(view, at + 16));
  b = wrap(b + rotate(a, 44n));
  return [wrap(a + word(view, at + 24)), wrap(b + c)];
}

function hashLong(view: DataView, length: number): bigint {
  let x = word(view, 0);
  let y = word(view, length - 16) ^ K1;
  let z = word(view, length - 56) ^ K0;
  let v = weakHash32(view, length - 64, BigInt(length), y);
  let w = weakHash32(view, length - 32, wrap(BigInt(length) * K1), K0);
  z = wrap(z + shiftMix(v[1]) * K1);
  x = wrap(rotate(wrap(z + x), 39n) * K1);
  y = wrap(rotate(y, 33n) * K1);
  for (let at = 0; at < ((length - 1) & ~63); at += 64) {
    x = wrap(rotate(wrap(x + y + v[0] + word(view, at + 16)), 37n) * K1);
    y = wrap(rotate(wrap(y + v[1] + word(view, at + 48)), 42n) * K1);
    x ^= w[1];
    y ^= v[0];
    z = rotate(z ^ w[0], 33n);
    v = weakHash32(view, at, wrap(v[1] * K1), wrap(x + w[0]));
    w = weakHash32(view, at + 32, wrap(z + w[1]), y);
    [z, x] = [x, z];
  }
  return hash16(wrap(hash16(v[0], w[0]) + shiftMix(y) * K1 + z), wrap(hash16(v[1], w[1]) + x));
}

/** Of several values, as ClickHouse combines their hashes. */
export function combined(hashes: readonly bigint[]): bigint {
  return hashes.reduce((before, next) => hash16(before, next));
}
