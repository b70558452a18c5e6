// The program of `accuracy.py --check`. Its functions are not inlined, so the first instruction of each runs once for
// each call: `pick` 300,000 times, `turn` and `choose` 100,000 times, `rest` 2,000 times.
volatile unsigned kept[64];
__attribute__((noinline)) unsigned pick(unsigned x) {
  if (x % 100 == 0) return kept[x & 63];
  return x & 1 ? x * 3 : x ^ 0x55;
}
__attribute__((noinline)) unsigned turn(unsigned x) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; ++i) sum += pick(x + i);
  switch (sum & 7) {
    case 0:
      sum ^= 9;
      break;
    case 1:
      sum *= 5;
      break;
    case 2:
      kept[3] = sum;
      break;
    case 3:
      sum += kept[5];
      break;
    case 4:
      sum >>= 3;
      break;
    case 5:
      kept[x & 63] = x;
      break;
    default:
      sum = ~sum;
  }
  return sum;
}
__attribute__((noinline)) unsigned rest(unsigned x) {
  for (unsigned i = 0; i < 64; ++i) kept[i] += x;
  return kept[x & 63];
}
// It ends with a jump to the other function.
unsigned (*volatile chosen)(unsigned) = turn;
__attribute__((noinline)) unsigned choose(unsigned x) {
  kept[4] ^= x;
  return chosen(x * 5);
}
int start(void) {
  for (unsigned i = 0; i < 100000; ++i) {
    kept[1] += choose(i);
    if (i % 50 == 0) kept[2] += rest(i);
  }
  return 0;
}
