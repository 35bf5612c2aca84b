import { afterAll } from 'vitest';
import { describeContract } from './contract.ts';
import { startDoubleWay } from './double-way.ts';

const way = await startDoubleWay();
afterAll(() => way.stop());

describeContract(way);
