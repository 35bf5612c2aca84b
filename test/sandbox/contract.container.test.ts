import { describeContract } from './contract.ts';
import { workerWay } from './worker-way.ts';

const url = process.env['CONTRACT_URL'];
if (!url) throw new Error('CONTRACT_URL is not set: run `npm run test:container`');

describeContract(workerWay({ name: 'a container of the image', url, ownsMachine: true }));
