// Class probabilities of a Weka classifier, in full precision, and its CPU time.
// java -cp weka.jar WekaProbabilities.java CLASSIFIER train.arff test.arff probabilities.csv
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import weka.classifiers.Classifier;
import weka.core.Instances;

public class WekaProbabilities {
    static double seconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
    }

    static Instances read(String path) throws Exception {
        Instances rows = new Instances(new BufferedReader(new FileReader(path)));
        rows.setClassIndex(rows.numAttributes() - 1);
        return rows;
    }

    public static void main(String[] words) throws Exception {
        Instances train = read(words[1]), test = read(words[2]);
        double fit = Double.MAX_VALUE, predict = Double.MAX_VALUE;
        double[][] found = new double[test.numInstances()][];
        for (int again = 0; again < 3; ++again) {
            Classifier classifier = (Classifier) Class.forName(words[0]).getDeclaredConstructor().newInstance();
            double start = seconds();
            classifier.buildClassifier(train);
            fit = Math.min(fit, seconds() - start);
            start = seconds();
            for (int i = 0; i < found.length; ++i) found[i] = classifier.distributionForInstance(test.instance(i));
            predict = Math.min(predict, seconds() - start);
        }
        try (PrintWriter out = new PrintWriter(words[3])) {
            out.println(fit + "," + predict);
            for (double[] row : found) {
                StringBuilder line = new StringBuilder();
                for (double p : row) line.append(line.length() > 0 ? "," : "").append(p);
                out.println(line);
            }
        }
    }
}
