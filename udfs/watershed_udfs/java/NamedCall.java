package watershed.json;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnaryExpression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;

/** A call of a method, shown under its SQL name in plans and in the names of columns without an alias. */
public final class NamedCall extends UnaryExpression implements Serializable {
    private final String name;
    private final Expression call;

    public NamedCall(String name, Expression call) {
        this.name = name;
        this.call = call;
    }

    public TreeNode child() {
        return call;
    }

    public TreeNode withNewChildInternal(TreeNode child) {
        return new NamedCall(name, (Expression) child);
    }

    public DataType dataType() {
        return call.dataType();
    }

    public Object eval(InternalRow row) {
        return call.eval(row);
    }

    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        return call.genCode(context);
    }

    public String prettyName() {
        return name;
    }

    public String sql() {
        return written(true);
    }

    public String toString() {
        return written(false);
    }

    private String written(boolean isSql) {
        StringBuilder text = new StringBuilder(name);
        for (int i = 0; i < call.children().size(); i++) {
            Expression argument = (Expression) call.children().apply(i);
            text.append(i == 0 ? "(" : ", ").append(isSql ? argument.sql() : argument.toString());
        }
        return text.append(")").toString();
    }

    public int productArity() {
        return 2;
    }

    public Object productElement(int place) {
        return place == 0 ? (Object) name : call;
    }

    public boolean canEqual(Object other) {
        return other instanceof NamedCall;
    }

    public boolean equals(Object other) {
        return other instanceof NamedCall && call.equals(((NamedCall) other).call);
    }

    public int hashCode() {
        return call.hashCode();
    }
}
